package check

import (
	"strings"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
)

// findings collects what is wrong, and what the evaluator has to do because of a type.
type findings struct {
	list diag.Diagnostics
	// texts are number literals in places that want a string, to be taken as written.
	texts []*template.Literal
}

func (f *findings) errorAt(at diag.Position, summary, detail string) {
	f.list = append(f.list, diag.Diagnostic{
		Severity: diag.Error, Summary: summary, Detail: detail, Subject: diag.Subject{Position: at},
	})
}

func (f *findings) warnAt(at diag.Position, summary, detail string) {
	f.list = append(f.list, diag.Diagnostic{
		Severity: diag.Warning, Summary: summary, Detail: detail, Subject: diag.Subject{Position: at},
	})
}

func (f *findings) take(o *findings) {
	f.list, f.texts = append(f.list, o.list...), append(f.texts, o.texts...)
}

// asWarnings takes the errors of o as warnings.
func (f *findings) asWarnings(o *findings) {
	for _, d := range o.list {
		d.Severity = diag.Warning
		f.list = append(f.list, d)
	}
	f.texts = append(f.texts, o.texts...)
}

func didYouMean(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "Did you mean " + names[0] + "?"
	default:
		return "Did you mean " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + "?"
	}
}
