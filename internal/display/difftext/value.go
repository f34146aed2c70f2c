package difftext

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-iac/cairn/internal/property"
)

// Worth says whether a value is shown where it only fills a list of properties: null, "" and empty collections are not.
func Worth(v property.Value) bool {
	switch v.Kind() {
	case property.KindNull:
		return false
	case property.KindString:
		s, _ := v.AsString()
		return s != "" || v.Secret()
	case property.KindList:
		l, _ := v.AsList()
		return l.Len() > 0 || v.Secret()
	case property.KindMap:
		m, _ := v.AsMap()
		return m.Len() > 0 || v.Secret()
	default:
		return true
	}
}

// value writes a value and ends the line.
func (p Printer) value(v property.Value) {
	p.bare(v)
	p.text("\n")
}

// bare writes a value without ending its last line.
func (p Printer) bare(v property.Value) {
	if p.primitive(v) {
		p.primitiveText(v)
		return
	}
	switch v.Kind() {
	case property.KindList:
		l, _ := v.AsList()
		p.list(l)
	case property.KindMap:
		m, _ := v.AsMap()
		p.object(m)
	case property.KindAsset:
		a, _ := v.AsAsset()
		p.asset(a)
	case property.KindArchive:
		a, _ := v.AsArchive()
		p.archive(a)
	case property.KindReference:
		r, _ := v.AsReference()
		p.reference(r)
	default:
		p.primitiveText(v)
	}
}

// primitive says whether v is written on one line: a scalar, an unknown, or a secret that is not shown.
func (p Printer) primitive(v property.Value) bool {
	if v.Secret() && !p.manner.ShowSecrets {
		return true
	}
	switch v.Kind() {
	case property.KindNull, property.KindBool, property.KindNumber, property.KindString, property.KindUnknown,
		property.KindSealed:
		return true
	default:
		return false
	}
}

func (p Printer) primitiveText(v property.Value) {
	hidden := v.Secret() && !p.manner.ShowSecrets
	switch {
	case v.IsUnknown() && (!hidden || p.manner.ShowUnknown):
		p.text("[unknown]")
		return
	case hidden:
		p.text(property.Mask)
		return
	}
	switch v.Kind() {
	case property.KindNull:
		p.text("<null>")
	case property.KindBool:
		b, _ := v.AsBool()
		p.text(strconv.FormatBool(b))
	case property.KindNumber:
		f, _ := v.AsNumber()
		p.text(number(f))
	case property.KindString:
		s, _ := v.AsString()
		p.stringText(s)
	default:
		p.text(property.Mask)
	}
}

// number writes whole numbers without exponent, whatever their size.
func number(f float64) string {
	if math.Trunc(f) == f {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func (p Printer) stringText(s string) {
	if !utf8.ValidString(s) {
		p.text(`b"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"`)
		return
	}
	if v, syntax, ok := decode(s); ok {
		p.text("(" + syntax + ") ")
		p.value(v)
		return
	}
	if p.manner.Truncate {
		s = shorten(s)
	}
	p.text(strconv.Quote(s))
}

func (p Printer) list(l property.List) {
	if l.Len() == 0 {
		p.text("[]")
		return
	}
	p.text("[\n")
	for i, e := range l.All() {
		p.line(fmt.Sprintf("    [%d]: ", i))
		p.in(1).value(e)
	}
	p.unmarked("]")
}

func (p Printer) object(m property.Map) {
	if m.Len() == 0 {
		p.text("{}")
		return
	}
	p.text("{\n")
	p.in(1).Object(m)
	p.unmarked("}")
}

func (p Printer) reference(r property.Reference) {
	in := p.in(1)
	p.text("{\n")
	in.title("URN", 3)
	in.text(strconv.Quote(string(r.URN)) + "\n")
	in.title("ID", 3)
	in.value(r.ID)
	in.title("PackageVersion", 3)
	in.text(strconv.Quote(r.PackageVersion) + "\n")
	p.unmarked("}")
}

// contents stands for the text of an asset: it may be a file of any size.
const contents = "<contents elided>"

func (p Printer) asset(a property.Asset) {
	switch a.Source {
	case property.SourceText:
		p.text("asset(text:" + shortHash(a.Hash) + ") {\n")
		p.unmarked("    " + contents + "\n")
		p.unmarked("}")
	case property.SourcePath:
		p.text("asset(file:" + shortHash(a.Hash) + ") { " + a.Location + " }")
	case property.SourceURI:
		p.text("asset(uri:" + shortHash(a.Hash) + ") { " + a.Location + " }")
	default:
		p.text("asset(unknown:" + shortHash(a.Hash) + ") { }")
	}
}

func (p Printer) archive(a property.Archive) {
	switch a.Source {
	case property.SourceAssets:
		p.text("archive(assets:" + shortHash(a.Hash) + ") {\n")
		for name, v := range a.Assets.All() {
			p.line("    \"" + name + "\": ")
			p.in(1).value(v)
		}
		p.unmarked("}")
	case property.SourcePath:
		p.text("archive(file:" + shortHash(a.Hash) + ") { " + a.Location + " }")
	case property.SourceURI:
		p.text("archive(uri:" + shortHash(a.Hash) + ") { " + a.Location + " }")
	default:
		p.text("archive(" + shortHash(a.Hash) + ") { }")
	}
}

func shortHash(h string) string { return h[:min(len(h), 7)] }

// quoted is the inside of a quoted string.
func quoted(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// oneLine says whether neither text has a line break.
func oneLine(a, b string) bool { return !strings.Contains(a, "\n") && !strings.Contains(b, "\n") }
