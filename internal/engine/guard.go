package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/event"
	"github.com/cairn-iac/cairn/internal/resource"
)

// guard keeps resources that a refresh did not find from being forgotten, if they are too many or protected: it is likely
// then that the provider looks in the wrong place. It counts all that this run has missed.
func (d *deployment) guard(gone map[*resource.State]bool) error {
	limit := d.op.Options.GuardMissing
	if limit == nil {
		return nil
	}
	var names []string
	protected := 0
	for s := range gone {
		if !s.Custom || s.IsProvider() {
			continue
		}
		names = append(names, "* "+string(s.URN))
		if s.Protect {
			protected++
		}
	}
	d.mu.Lock()
	d.missing += len(names)
	missing, all := d.missing, 0
	d.mu.Unlock()
	for _, s := range d.op.Base.Resources {
		if s.Custom && !s.IsProvider() {
			all++
		}
	}
	if protected == 0 && missing*100 <= *limit*all {
		return nil
	}
	slices.Sort(names)
	if more := len(names) - 10; more > 0 {
		names = append(names[:10], fmt.Sprintf("* and %d more", more))
	}
	text := fmt.Sprintf("the refresh misses %d of %d resources, %d of them protected; at most %d%% and none that is protected may be "+
		"missing (--guard-missing):\n%s\n", missing, all, protected, *limit, strings.Join(names, "\n"))
	if d.op.Preview {
		d.emit.diagnostic(event.Diagnostic{Severity: diag.Warning, Message: text + "An unattended run would stop here."})
		return nil
	}
	return d.report(diag.Errorf("", "%sThey stay recorded. If the provider looks in the wrong place, mend its credentials, region or "+
		"account and refresh again. If they are gone, refresh again with --guard-missing=off.", text))
}
