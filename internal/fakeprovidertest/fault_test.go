package fakeprovidertest_test

import (
	"bufio"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/cairn-iac/cairn/internal/fakeprovidertest"
)

func TestFailuresOfNumberedCalls(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		{Method: "Create", Name: "a*", Calls: []int{1}, Fail: fakeprovidertest.Before, Message: "no quota"},
		{Method: "Create", Name: "a*", Calls: []int{2}, Fail: fakeprovidertest.After, Code: codes.Unavailable},
	}}))
	_, err := create(t, p, "ab", nil)
	if status.Code(err) != codes.Unknown || !strings.Contains(err.Error(), "no quota") || len(ids(t, kit)) != 0 {
		t.Errorf("first create: %v, ids %v", err, ids(t, kit))
	}
	_, err = create(t, p, "ab", nil)
	if status.Code(err) != codes.Unavailable || len(ids(t, kit)) != 1 {
		t.Errorf("second create: %v, ids %v", err, ids(t, kit))
	}
	for _, name := range []string{"ab", "b"} {
		if _, err = create(t, p, name, nil); err != nil {
			t.Errorf("create of %s: %v", name, err)
		}
	}
	if got := ids(t, kit); len(got) != 3 {
		t.Errorf("ids %v", got)
	}
}

func TestInitErrorKeepsTheThing(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		{Method: "Create", InitError: []string{"not ready"}},
	}}))
	_, err := create(t, p, "a", map[string]any{"v": 1})
	var failed *pulumirpc.ErrorResourceInitFailed
	for _, detail := range status.Convert(err).Details() {
		failed, _ = detail.(*pulumirpc.ErrorResourceInitFailed)
	}
	if failed == nil {
		t.Fatalf("no details in %v", err)
	}
	if !slices.Equal(ids(t, kit), []string{failed.Id}) || !slices.Equal(failed.Reasons, []string{"not ready"}) ||
		failed.Properties.AsMap()["serial"] != 1.0 || failed.Inputs.AsMap()["v"] != 1.0 {
		t.Errorf("details: %v", failed)
	}
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		{Method: "Create", AutoID: true},
		{Method: "Read", Name: "gone", Missing: true},
		{Method: "Read", Name: "broken", Fail: fakeprovidertest.Before},
	}}))
	created, err := create(t, p, "a", map[string]any{"name": "fixed"})
	must(t, err)
	if !strings.HasPrefix(created.Id, "auto-") {
		t.Errorf("id %q", created.Id)
	}
	for name, want := range map[string]string{"fine": created.Id, "gone": ""} {
		read, err := p.Read(t.Context(), &pulumirpc.ReadRequest{Id: "fixed", Urn: urn(name)})
		must(t, err)
		if read.Id != want {
			t.Errorf("read of %s: id %q, want %q", name, read.Id, want)
		}
	}
	if _, err := p.Read(t.Context(), &pulumirpc.ReadRequest{Id: "fixed", Urn: urn("broken")}); err == nil {
		t.Error("a broken read succeeded")
	}
}

func TestDiffAndCheckFaults(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	must(t, kit.Control(fakeprovidertest.Control{SecretsBlind: true, Rules: []fakeprovidertest.Rule{
		{Method: "Check", CheckFailures: map[string]string{"v": "too large"}},
		{Method: "Diff", Name: "a", DiffUnknown: true},
		{Method: "Diff", Name: "b", DeleteBeforeReplace: true},
	}}))
	handshake, err := p.Handshake(t.Context(), &pulumirpc.ProviderHandshakeRequest{})
	must(t, err)
	if handshake.AcceptSecrets {
		t.Error("a provider blind to secrets accepts them")
	}
	check, err := p.Check(t.Context(), &pulumirpc.CheckRequest{Urn: urn("a")})
	must(t, err)
	if len(check.Failures) != 1 || check.Failures[0].Reason != "too large" {
		t.Errorf("failures: %v", check.Failures)
	}
	a, err := p.Diff(t.Context(), &pulumirpc.DiffRequest{Urn: urn("a")})
	must(t, err)
	b, err := p.Diff(t.Context(), &pulumirpc.DiffRequest{Urn: urn("b")})
	must(t, err)
	if a.Changes != pulumirpc.DiffResponse_DIFF_UNKNOWN || !b.DeleteBeforeReplace {
		t.Errorf("diffs: %v and %v", a, b)
	}
}

func TestErrorAllAndOldProvider(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	must(t, kit.Control(fakeprovidertest.Control{ErrorAll: codes.Internal}))
	_, handshakeErr := p.Handshake(t.Context(), &pulumirpc.ProviderHandshakeRequest{})
	_, infoErr := p.GetPluginInfo(t.Context(), &emptypb.Empty{})
	if status.Code(handshakeErr) != codes.Internal || status.Code(infoErr) != codes.Internal {
		t.Errorf("told to fail every call: %v, %v", handshakeErr, infoErr)
	}
	must(t, kit.Control(fakeprovidertest.Control{NoPreview: true}))
	_, handshakeErr = p.Handshake(t.Context(), &pulumirpc.ProviderHandshakeRequest{})
	configured, err := p.Configure(t.Context(), &pulumirpc.ConfigureRequest{})
	must(t, err)
	if status.Code(handshakeErr) != codes.Unimplemented || configured.SupportsPreview {
		t.Errorf("told to be old: %v, %v", handshakeErr, configured)
	}
}

func TestCancelEndsASleepingCreate(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	p := launch(t, kit)
	must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		{Method: "Create", Name: "before", Sleep: 600_000},
		{Method: "Create", Name: "after", SleepAfter: 600_000},
	}}))
	answers := map[string]chan error{}
	for _, name := range []string{"before", "after"} {
		answers[name] = make(chan error, 1)
		go func() {
			_, err := create(t, p, name, nil)
			answers[name] <- err
		}()
	}
	for len(ids(t, kit)) == 0 || len(calls(t, kit, "Create")) < 2 {
		time.Sleep(time.Millisecond)
	}
	_, err := p.Cancel(t.Context(), &emptypb.Empty{})
	must(t, err)
	if err := <-answers["before"]; status.Code(err) != codes.Canceled {
		t.Errorf("canceled before its effect: %v", err)
	}
	if err := <-answers["after"]; err != nil {
		t.Errorf("canceled after its effect: %v", err)
	}
	if got := ids(t, kit); len(got) != 1 || !strings.HasPrefix(got[0], "after-") {
		t.Errorf("ids %v", got)
	}
}

func TestCrashEndsTheProcess(t *testing.T) {
	t.Parallel()
	for _, moment := range []fakeprovidertest.Moment{fakeprovidertest.Before, fakeprovidertest.After} {
		kit := setup(t)
		p := launch(t, kit)
		must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{{Method: "Create", Crash: moment}}}))
		if _, err := create(t, p, "a", nil); status.Code(err) != codes.Unavailable {
			t.Errorf("crash %s: %v", moment, err)
		}
		var exit *exec.ExitError
		if err := p.command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("crash %s: process ended with %v", moment, err)
		}
		want := map[fakeprovidertest.Moment]int{fakeprovidertest.Before: 0, fakeprovidertest.After: 1}[moment]
		if got := ids(t, kit); len(got) != want {
			t.Errorf("crash %s: ids %v", moment, got)
		}
		if got := calls(t, kit, "Create"); len(got) != 1 || got[0].Done {
			t.Errorf("crash %s: calls %+v", moment, got)
		}
	}
}

func TestCrashInsideATest(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{{Crash: fakeprovidertest.Before}}}))
	client := serveHere(t, kit)
	if _, err := create(t, client, "a", nil); status.Code(err) != codes.Unavailable {
		t.Errorf("create: %v", err)
	}
}

func TestStartFaults(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	must(t, kit.Control(fakeprovidertest.Control{GarbagePort: true}))
	garbage := command(t, kit)
	stdout, err := garbage.StdoutPipe()
	must(t, err)
	must(t, garbage.Start())
	line := make([]byte, len("this is no port\n"))
	if _, err := stdout.Read(line); err != nil || string(line) != "this is no port\n" {
		t.Errorf("printed %q, %v", line, err)
	}
	must(t, garbage.Process.Signal(syscall.SIGTERM))
	must(t, garbage.Wait())

	kit = setup(t)
	must(t, kit.Control(fakeprovidertest.Control{DieAtStart: "no licence"}))
	output, err := command(t, kit).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(output), "no licence") {
		t.Errorf("die at start: %v, %q", err, output)
	}

	kit = setup(t)
	must(t, kit.Control(fakeprovidertest.Control{Hang: true}))
	hanging := command(t, kit)
	stdout, err = hanging.StdoutPipe()
	must(t, err)
	must(t, hanging.Start())
	must(t, hanging.Process.Kill())
	if text := drain(t, stdout); text != "" {
		t.Errorf("a hanging plugin printed %q", text)
	}
	_ = hanging.Wait()
}

func TestExitWithParent(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	must(t, kit.Control(fakeprovidertest.Control{ExitWithParent: true, IgnoreInterrupt: true}))
	plugin := command(t, kit)
	parent := exec.Command("sh", "-c", `"$0" & read line`, plugin.Path)
	parent.Env = plugin.Env
	stdin, err := parent.StdinPipe()
	must(t, err)
	stdout, err := parent.StdoutPipe()
	must(t, err)
	must(t, parent.Start())
	output := bufio.NewReader(stdout)
	_, err = output.ReadString('\n') // the port: the plugin knows its parent
	must(t, err)
	must(t, stdin.Close())
	drain(t, output) // ends when the parent and the plugin are gone
	_ = parent.Wait()
}

func TestControlFileIsStrict(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fakeprovidertest.Rule{
		"moment":  {Fail: "soon"},
		"pattern": {Name: "["},
	} {
		kit := setup(t)
		must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{rule}}))
		_, err := fakeprovidertest.Start(fakeprovidertest.Options{Ledger: kit.Folder, Control: kit.ControlFile})
		if err == nil || !strings.Contains(err.Error(), "rules[0]") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := fakeprovidertest.Start(fakeprovidertest.Options{})
	if err == nil || !strings.Contains(err.Error(), fakeprovidertest.EnvLedger) {
		t.Errorf("without a ledger: %v", err)
	}
}

func TestRulesLeavePreviewsAlone(t *testing.T) {
	t.Parallel()
	kit := setup(t)
	must(t, kit.Control(fakeprovidertest.Control{Rules: []fakeprovidertest.Rule{
		{Method: "Create", Fail: fakeprovidertest.Before, Calls: []int{1}},
		{Method: "Update", Fail: fakeprovidertest.Before, Preview: true},
	}}))
	client := serveHere(t, kit)
	request := &pulumirpc.CreateRequest{Urn: urn("a"), Preview: true}
	_, err := client.Create(t.Context(), request)
	must(t, err)
	request.Preview = false
	if _, err = client.Create(t.Context(), request); err == nil {
		t.Error("the first real create succeeded")
	}
	if _, err = client.Update(t.Context(), &pulumirpc.UpdateRequest{Urn: urn("a"), Preview: true}); err == nil {
		t.Error("the preview of the update succeeded")
	}
	all, err := kit.Calls()
	must(t, err)
	var got []string
	for _, c := range all {
		got = append(got, c.Method+map[bool]string{true: " preview", false: ""}[c.Preview])
	}
	if diff := cmp.Diff([]string{"Create preview", "Create", "Update preview"}, got); diff != "" {
		t.Error(diff)
	}
}
