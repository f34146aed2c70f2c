package random

import (
	"github.com/cairn-iac/cairn/internal/property"
)

// State carries, beside the outputs, how Terraform's own state differs from them, so that the published provider finds
// exactly the state it wrote: {"obj": {"ps": {<property>: <difference>}, "renamed": {<property>: <Terraform's name>}}}.
// A difference is {"replace": {"raw": <value>}} (always secret) for a value that the outputs do not have, {"map": {}} and
// {"arr": {}} for a map or list that is the same on both sides, {"num": {}} for a number written as text.
const deltaKey = "__pulumi_raw_state_delta"

// delta describes attributes, which must be known.
func (d *definition) delta(attributes values) property.Value {
	differences, renamed := map[string]property.Value{}, map[string]property.Value{}
	for _, a := range d.attributes {
		if a.renamed != "" {
			renamed[a.name] = property.String(a.renamed)
		}
		if diff, ok := difference(attributes[a.name]); ok {
			differences[a.name] = diff
		}
	}
	obj := map[string]property.Value{"ps": property.NewMap(differences)}
	if len(renamed) > 0 {
		obj["renamed"] = property.NewMap(renamed)
	}
	return nested("obj", property.NewMap(obj))
}

func difference(v value) (diff property.Value, ok bool) {
	switch x := v.v.(type) {
	case nil:
		return nested("replace", nested("raw", property.Null())).MakeSecret(), true
	case map[string]value:
		return nested("map", property.NewMap(nil)), true
	case []value:
		return nested("arr", property.NewMap(nil)), true
	case int64:
		if !fitsNumber(x) {
			return nested("num", property.NewMap(nil)), true
		}
	}
	return property.Value{}, false
}

func nested(key string, v property.Value) property.Value {
	return property.NewMap(map[string]property.Value{key: v})
}

// replaced gives the value that the recorded delta puts in the place of an output.
func replaced(outputs property.Map, name string) (property.Value, bool) {
	at := property.Path{
		property.Key(deltaKey), property.Key("obj"), property.Key("ps"), property.Key(name), property.Key("replace"),
	}
	replace, ok := at.Get(property.FromMap(outputs))
	if !ok {
		return property.Value{}, false
	}
	m, ok := replace.AsMap()
	return m.Get("raw"), ok
}
