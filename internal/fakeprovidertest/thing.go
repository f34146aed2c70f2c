package fakeprovidertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// TypeThing is the token of the custom resource.
const TypeThing = "fp:index:Thing"

// The properties of a Thing that mean something; it accepts any others and copies them to its outputs.
const (
	propV      = "v"      // a change updates
	propForce  = "force"  // a change replaces
	propName   = "name"   // fixed name, taken only once; a change replaces
	propEcho   = "echo"   // copied to outputs under other paths, see echoes
	propEchoed = "echoed" // output
	propSerial = "serial" // output: 1, and one more for every update
)

// Check implements the provider protocol: the inputs come back as they are.
func (s *Server) Check(ctx context.Context, r *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	if err := mustBeThing(r.GetType(), r.GetUrn()); err != nil {
		return nil, err
	}
	failures := checkFailures(ruleOf(ctx))
	if name, ok := r.GetNews().GetFields()[propName]; ok {
		if _, isText := plain(name).GetKind().(*structpb.Value_StringValue); !isText {
			failures = append(failures, &pulumirpc.CheckFailure{Property: propName, Reason: "must be a string"})
		}
	}
	return &pulumirpc.CheckResponse{Inputs: r.GetNews(), Failures: failures}, nil
}

// Diff implements the provider protocol.
func (s *Server) Diff(ctx context.Context, r *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	if err := mustBeThing(r.GetType(), r.GetUrn()); err != nil {
		return nil, err
	}
	olds := r.GetOldInputs()
	if olds == nil { // an engine that keeps old inputs to itself
		olds = copyStruct(r.GetOlds())
		delete(olds.Fields, propSerial)
		delete(olds.Fields, propEchoed)
	}
	return diffResponse(olds, r.GetNews(), diffRules{
		replace: []string{propForce, propName},
		ignore:  r.GetIgnoreChanges(),
		rule:    ruleOf(ctx),
	}), nil
}

// Create implements the provider protocol.
func (s *Server) Create(ctx context.Context, r *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	if err := mustBeThing(r.GetType(), r.GetUrn()); err != nil {
		return nil, err
	}
	inputs := orEmpty(r.GetProperties())
	if r.GetPreview() {
		return &pulumirpc.CreateResponse{Properties: previewOutputs(inputs)}, nil
	}
	thing, outputs, err := newThing(inputs, r, ruleOf(ctx))
	if err != nil {
		return nil, err
	}
	switch err := s.ledger.create(thing); {
	case errors.Is(err, ErrNameTaken):
		return nil, status.Error(codes.AlreadyExists, err.Error())
	case err != nil:
		return nil, ledgerFailure(err)
	}
	if reasons := ruleOf(ctx).InitError; len(reasons) > 0 {
		return nil, initFailed(thing.ID, inputs, outputs, reasons)
	}
	return &pulumirpc.CreateResponse{Id: thing.ID, Properties: outputs}, nil
}

// Read implements the provider protocol: by id, or for an import by the fixed name.
func (s *Server) Read(ctx context.Context, r *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	if err := mustBeThing(r.GetType(), r.GetUrn()); err != nil {
		return nil, err
	}
	thing, ok, err := s.ledger.Find(r.GetId())
	switch {
	case err != nil:
		return nil, ledgerFailure(err)
	case !ok || ruleOf(ctx).Missing:
		return &pulumirpc.ReadResponse{}, nil
	}
	inputs, err := decodeStruct(thing.Inputs)
	if err != nil {
		return nil, ledgerFailure(err)
	}
	outputs, err := decodeStruct(thing.Outputs)
	if err != nil {
		return nil, ledgerFailure(err)
	}
	if reasons := ruleOf(ctx).InitError; len(reasons) > 0 {
		return nil, initFailed(thing.ID, inputs, outputs, reasons)
	}
	return &pulumirpc.ReadResponse{Id: thing.ID, Properties: outputs, Inputs: inputs}, nil
}

// Update implements the provider protocol.
func (s *Server) Update(ctx context.Context, r *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	if err := mustBeThing(r.GetType(), r.GetUrn()); err != nil {
		return nil, err
	}
	inputs := orEmpty(r.GetNews())
	if r.GetPreview() {
		return &pulumirpc.UpdateResponse{Properties: previewOutputs(inputs)}, nil
	}
	if property := firstUnknown(inputs); property != "" {
		return nil, status.Errorf(codes.InvalidArgument, "%s is unknown in a real update", property)
	}
	var outputs *structpb.Struct
	err := s.ledger.update(r.GetId(), func(thing Thing) (Thing, error) {
		var err error
		thing.Serial++
		if outputs, err = outputsOf(inputs, thing.Serial); err != nil {
			return thing, err
		}
		return thing, thing.set(inputs, outputs)
	})
	switch {
	case errors.Is(err, ErrNoSuchThing):
		return nil, status.Error(codes.NotFound, err.Error())
	case err != nil:
		return nil, ledgerFailure(err)
	}
	if reasons := ruleOf(ctx).InitError; len(reasons) > 0 {
		return nil, initFailed(r.GetId(), inputs, outputs, reasons)
	}
	return &pulumirpc.UpdateResponse{Properties: outputs}, nil
}

// Delete implements the provider protocol. What is already gone is deleted.
func (s *Server) Delete(_ context.Context, r *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if err := mustBeThing(r.GetType(), r.GetUrn()); err != nil {
		return nil, err
	}
	if _, err := s.ledger.remove(r.GetId()); err != nil {
		return nil, ledgerFailure(err)
	}
	return &emptypb.Empty{}, nil
}

func newThing(inputs *structpb.Struct, r *pulumirpc.CreateRequest, rule Rule) (Thing, *structpb.Struct, error) {
	if property := firstUnknown(inputs); property != "" {
		return Thing{}, nil, status.Errorf(codes.InvalidArgument, "%s is unknown in a real create", property)
	}
	thing := Thing{URN: r.GetUrn(), Serial: 1, Name: plain(inputs.GetFields()[propName]).GetStringValue()}
	prefix := thing.Name
	if prefix == "" {
		prefix = urnName(r.GetUrn())
	}
	if rule.AutoID {
		prefix = "auto"
	}
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return Thing{}, nil, ledgerFailure(err)
	}
	thing.ID = prefix + "-" + hex.EncodeToString(random[:])
	outputs, err := outputsOf(inputs, thing.Serial)
	if err != nil {
		return Thing{}, nil, ledgerFailure(err)
	}
	return thing, outputs, thing.set(inputs, outputs)
}

func (t *Thing) set(inputs, outputs *structpb.Struct) (err error) {
	if t.Inputs, err = encodeStruct(inputs); err != nil {
		return err
	}
	t.Outputs, err = encodeStruct(outputs)
	return err
}

func outputsOf(inputs *structpb.Struct, serial int) (*structpb.Struct, error) {
	outputs := copyStruct(inputs)
	outputs.Fields[propSerial] = structpb.NewNumberValue(float64(serial))
	if echo, ok := inputs.GetFields()[propEcho]; ok {
		echoed, err := echoes(echo)
		if err != nil {
			return nil, err
		}
		outputs.Fields[propEchoed] = echoed
	}
	return outputs, nil
}

// previewOutputs are what is known before the effect: the inputs as they came, the computed outputs unknown.
func previewOutputs(inputs *structpb.Struct) *structpb.Struct {
	outputs := copyStruct(inputs)
	outputs.Fields[propSerial] = structpb.NewStringValue(unknownString)
	if _, ok := inputs.GetFields()[propEcho]; ok {
		outputs.Fields[propEchoed] = structpb.NewStringValue(unknownString)
	}
	return outputs
}

// echoes copies a value to other paths: inside a list as it came, inside a JSON text, and in upper case when it is
// a text. The texts are secret when anything in the value is marked so; a provider blind to secrets sees no marks.
func echoes(echo *structpb.Value) (*structpb.Value, error) {
	// protojson would space its text differently from build to build.
	text, err := json.Marshal(plain(echo).AsInterface())
	if err != nil {
		return nil, err
	}
	mark := func(text string) *structpb.Value {
		if hasSecret(echo) {
			return secretValue(structpb.NewStringValue(text))
		}
		return structpb.NewStringValue(text)
	}
	fields := map[string]*structpb.Value{
		"list": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{echo}}),
		"json": mark(string(text)),
	}
	if _, ok := plain(echo).GetKind().(*structpb.Value_StringValue); ok {
		fields["upper"] = mark(strings.ToUpper(plain(echo).GetStringValue()))
	}
	return structpb.NewStructValue(&structpb.Struct{Fields: fields}), nil
}

func initFailed(id string, inputs, outputs *structpb.Struct, reasons []string) error {
	failed, err := status.New(codes.Unknown, "resource is there but did not initialise").WithDetails(
		&pulumirpc.ErrorResourceInitFailed{Id: id, Properties: outputs, Inputs: inputs, Reasons: reasons})
	if err != nil {
		return err
	}
	return failed.Err()
}

func mustBeThing(token, urn string) error {
	if token == "" {
		token = urnType(urn)
	}
	if token != TypeThing {
		return status.Errorf(codes.InvalidArgument, "fp has no custom resource %q", token)
	}
	return nil
}

// ledgerFailure is a fault of the test's disk, not of the resource.
func ledgerFailure(err error) error { return status.Error(codes.FailedPrecondition, err.Error()) }
