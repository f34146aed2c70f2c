package check

import (
	"fmt"

	"github.com/cairn-iac/cairn/internal/langhost/yaml/template"
)

// infer gives the type of an expression, as far as it is known before the program runs. Problems within x are not
// reported here: checkAccesses finds them once.
func (c *checker) infer(x template.Expr) typ {
	switch x := x.(type) {
	case *template.Literal:
		return literalType(x)
	case *template.Interpolated:
		return simple(kindString)
	case *template.Access:
		t, _ := c.accessType(x)
		return t
	case *template.List:
		return c.listType(x)
	case *template.Object:
		return c.objectLiteral(x)
	case *template.Call:
		return c.callType(x)
	case *template.Invoke:
		return c.invokeType(x)
	default:
		return anything()
	}
}

// listType is a list of what all items have in common, or of anything.
func (c *checker) listType(x *template.List) typ {
	if len(x.Items) == 0 {
		return listOf(anything)
	}
	first := c.infer(x.Items[0])
	for _, item := range x.Items[1:] {
		if t := c.infer(item); t.kind != first.kind || !t.isScalar() {
			return listOf(anything)
		}
	}
	return listOf(func() typ { return first })
}

func (c *checker) objectLiteral(x *template.Object) typ {
	out := typ{kind: kindObject, fields: map[string]func() typ{}}
	for _, e := range x.Entries {
		key, ok := e.KeyText()
		if !ok {
			return typ{kind: kindMap, elem: anything}
		}
		out.fields[key] = func() typ { return c.infer(e.Value) }
	}
	return out
}

func (c *checker) callType(x *template.Call) typ {
	switch x.Func {
	case template.FuncSecret, template.FuncUnsecret:
		return c.infer(x.Args[0])
	case template.FuncSelect:
		if list := c.infer(x.Args[1]); list.kind == kindList {
			return list.elem()
		}
		return anything()
	case template.FuncSingleOrNone:
		if list := c.infer(x.Args[0]); list.kind == kindList {
			return list.elem()
		}
		return anything()
	case template.FuncSplit:
		return listOf(func() typ { return simple(kindString) })
	case template.FuncLength:
		return simple(kindInteger)
	case template.FuncStringAsset, template.FuncFileAsset, template.FuncRemoteAsset:
		return simple(kindAsset)
	case template.FuncFileArchive, template.FuncRemoteArchive, template.FuncAssetArchive:
		return simple(kindArchive)
	case template.FuncStackReference, template.FuncNone:
		return anything()
	default:
		return simple(kindString)
	}
}

func (c *checker) invokeType(x *template.Invoke) typ {
	info, ok := c.out.Invokes[x]
	if !ok {
		return anything()
	}
	if v, ok := info.Function.Outputs.Value(); ok {
		return specType(info.Package, v)
	}
	o, ok := info.Function.Outputs.Object()
	if !ok {
		return anything()
	}
	t := objectType(info.Package, x.Token.Value, o)
	if !x.Return.IsSet() {
		return t
	}
	if f, ok := t.fields[x.Return.Value]; ok {
		return f()
	}
	return anything()
}

// nodeType remembers its answers: variables may use each other many times.
func (c *checker) nodeType(n *Node) typ {
	t, ok := c.nodeTypes[n]
	if !ok {
		t = c.inferNode(n)
		c.nodeTypes[n] = t
	}
	return t
}

func (c *checker) inferNode(n *Node) typ {
	switch {
	case n.Resource != nil:
		info, ok := c.out.Resources[n.Resource]
		if !ok {
			return anything()
		}
		return resourceType(info.Package, info.Token, info.Schema)
	case n.Variable != nil:
		return c.infer(n.Variable.Value)
	case n.Config != nil:
		return configType(n.Config, c)
	default:
		return anything()
	}
}

func configType(d *template.Config, c *checker) typ {
	switch {
	case d.Type != nil:
		return declaredType(d.Type)
	case d.Default != nil:
		return c.infer(d.Default)
	default:
		return anything()
	}
}

func declaredType(t *template.ConfigType) typ {
	switch t.Kind {
	case template.ConfigString:
		return simple(kindString)
	case template.ConfigNumber:
		return simple(kindNumber)
	case template.ConfigInteger:
		return simple(kindInteger)
	case template.ConfigBoolean:
		return simple(kindBool)
	case template.ConfigArray:
		if t.Items == nil {
			return listOf(anything)
		}
		return listOf(func() typ { return declaredType(t.Items) })
	case template.ConfigObject:
		return typ{kind: kindMap, elem: anything}
	default:
		return anything()
	}
}

func pulumiType() typ {
	text := func() typ { return simple(kindString) }
	return typ{kind: kindObject, fields: map[string]func() typ{
		"cwd": text, "organization": text, "project": text, "rootDirectory": text, "stack": text,
	}}
}

// accessType follows an access through the types. The problem is nil when the path is possible.
func (c *checker) accessType(x *template.Access) (typ, *problem) {
	var t typ
	switch n := c.graph.find(x.Root); {
	case x.Root == PulumiName:
		t = pulumiType()
	case n == nil:
		return anything(), nil
	default:
		t = c.nodeType(n)
	}
	name := x.Root
	for _, s := range x.Path {
		var next typ
		var p *problem
		if key, ok := s.AsKey(); ok {
			next, p = stepKey(t, name, key)
			name += "." + key
		} else if i, ok := s.AsIndex(); ok {
			next, p = stepIndex(t, name)
			name += fmt.Sprintf("[%d]", i)
		}
		if p != nil {
			return anything(), p
		}
		t = next
	}
	return t, nil
}

type problem struct{ summary, detail string }

func stepKey(t typ, name, key string) (typ, *problem) {
	switch t.kind {
	case kindAny, kindUnion:
		return anything(), nil
	case kindMap:
		return t.elem(), nil
	case kindObject, kindResource:
		if f, ok := t.fields[key]; ok {
			return f(), nil
		}
		if t.fields == nil {
			return anything(), nil
		}
		return typ{}, &problem{fmt.Sprintf("%s does not exist on %s", key, name), existing(key, t.fieldNames())}
	case kindList:
		return typ{}, &problem{
			fmt.Sprintf("Cannot index via string into '%s' (type %s)", name, t), "Elements of a list are reached by [0].",
		}
	default:
		return typ{}, &problem{
			fmt.Sprintf("cannot access a property on '%s' (type %s)", name, t),
			"Property access is only allowed on Resources and Objects",
		}
	}
}

func stepIndex(t typ, name string) (typ, *problem) {
	switch t.kind {
	case kindAny, kindUnion:
		return anything(), nil
	case kindList:
		return t.elem(), nil
	case kindMap, kindObject, kindResource:
		return typ{}, &problem{
			fmt.Sprintf("Cannot index via number into '%s' (type %s)", name, t), "Properties are reached by .name or [\"name\"].",
		}
	default:
		return typ{}, &problem{
			fmt.Sprintf("Cannot index into '%s' (type %s)", name, t), "Index property access is only allowed on Maps and Lists",
		}
	}
}
