package template

import (
	"fmt"
	"strings"
	"unicode"
)

// String writes an expression so that [ParseExpr] reads it back.
func String(e Expr) string {
	var b strings.Builder
	write(&b, e)
	return b.String()
}

func write(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case nil:
		b.WriteString("null")
	case *Literal:
		writeLiteral(b, e)
	case *Interpolated:
		writeQuoted(b, e.String())
	case *Access:
		writeQuoted(b, "${"+e.String()+"}")
	case *List:
		b.WriteByte('[')
		writeItems(b, e.Items)
		b.WriteByte(']')
	case *Object:
		b.WriteByte('{')
		for i, en := range e.Entries {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, en.Key)
			b.WriteString(": ")
			write(b, en.Value)
		}
		b.WriteByte('}')
	case *Call:
		writeCall(b, e)
	case *Invoke:
		writeInvoke(b, e)
	}
}

func writeLiteral(b *strings.Builder, l *Literal) {
	s, isText := l.Value.AsString()
	switch {
	case isText:
		writeQuoted(b, strings.ReplaceAll(s, "$", "$$"))
	case l.Value.IsNull():
		b.WriteString("null")
	default:
		b.WriteString(l.Text)
	}
}

func writeItems(b *strings.Builder, items []Expr) {
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, item)
	}
}

func writeCall(b *strings.Builder, c *Call) {
	b.WriteString("{")
	writeQuoted(b, c.Func.Name())
	b.WriteString(": ")
	if c.Func.signature().args == 1 {
		write(b, c.Args[0])
	} else {
		b.WriteByte('[')
		writeItems(b, c.Args)
		b.WriteByte(']')
	}
	b.WriteByte('}')
}

func writeInvoke(b *strings.Builder, v *Invoke) {
	b.WriteString(`{"fn::invoke": {"function": `)
	writeText(b, v.Token)
	if v.Args != nil {
		b.WriteString(`, "arguments": `)
		write(b, v.Args)
	}
	b.WriteString(`, "options": {`)
	comma := ""
	put := func(name string, write func()) {
		b.WriteString(comma)
		writeQuoted(b, name)
		b.WriteString(": ")
		write()
		comma = ", "
	}
	for _, x := range []struct {
		name string
		expr Expr
	}{
		{"dependsOn", v.Options.DependsOn}, {"parent", v.Options.Parent}, {"provider", v.Options.Provider},
	} {
		if x.expr != nil {
			put(x.name, func() { write(b, x.expr) })
		}
	}
	for _, x := range []struct {
		name string
		text Text
	}{{"version", v.Options.Version}, {"pluginDownloadURL", v.Options.PluginDownloadURL}} {
		if x.text.IsSet() {
			put(x.name, func() { writeText(b, x.text) })
		}
	}
	b.WriteByte('}')
	if v.Return.IsSet() {
		b.WriteString(`, "return": `)
		writeText(b, v.Return)
	}
	b.WriteString("}}")
}

func writeText(b *strings.Builder, t Text) { writeQuoted(b, strings.ReplaceAll(t.Value, "$", "$$")) }

// writeQuoted writes a double-quoted YAML scalar.
func writeQuoted(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsPrint(r) && r != '\uFEFF':
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
}
