package plan

import (
	"slices"

	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// Remark gives fresh values the secret marks that marked has at the same places. Providers that know nothing of secrets
// answer without marks: what was secret must not come into the open by that.
func Remark(fresh, marked property.Map) property.Map {
	if !marked.ContainsSecret() {
		return fresh
	}
	out := fresh.Clone()
	for k, v := range fresh.All() {
		if m, ok := marked.Lookup(k); ok {
			out[k] = remark(v, m)
		}
	}
	return property.MapOf(out)
}

func remark(fresh, marked property.Value) property.Value {
	switch {
	case marked.Secret():
		return fresh.MakeSecret()
	case !marked.ContainsSecret():
		return fresh
	}
	if fm, ok := fresh.AsMap(); ok {
		if mm, ok := marked.AsMap(); ok {
			return property.FromMap(Remark(fm, mm)).WithSecret(fresh.Secret())
		}
	}
	if fl, ok := fresh.AsList(); ok {
		if ml, ok := marked.AsList(); ok && fl.Len() == ml.Len() {
			items := fl.Slice()
			for i := range items {
				items[i] = remark(items[i], ml.At(i))
			}
			return property.NewList(items...).WithSecret(fresh.Secret())
		}
	}
	// The shape changed: which part is the secret one cannot be told, so all of it is.
	return fresh.MakeSecret()
}

// MarkOutputs gives fresh outputs of a provider the secret marks of the additionalSecretOutputs option and of inputs at
// the same places.
func MarkOutputs(outputs property.Map, next *resource.State) property.Map {
	outputs = Remark(outputs, next.Inputs)
	if len(next.AdditionalSecretOutputs) == 0 {
		return outputs
	}
	changed := outputs.Clone()
	for k, v := range outputs.All() {
		if slices.Contains(next.AdditionalSecretOutputs, k) {
			changed[k] = v.MakeSecret()
		}
	}
	return property.MapOf(changed)
}

// RemarkOutputs gives old outputs the secret marks that the resource's options and new inputs ask for. An output that is
// the echo of an input, marks and all, follows that input; marks of the provider's own stay.
func RemarkOutputs(outputs, oldInputs property.Map, next *resource.State) property.Map {
	changed := outputs.Clone()
	for k, v := range outputs.All() {
		in, has := next.Inputs.Lookup(k)
		was, had := oldInputs.Lookup(k)
		if has && had && was.Equal(v) && in.EqualPlain(v) {
			changed[k] = in
		}
	}
	return MarkOutputs(property.MapOf(changed).StripDependencies(), next)
}
