package random

import "github.com/cairn-iac/cairn/internal/property"

// mirrorSecrets marks secret in out what is secret under the same name in in. A list of which one element is secret
// becomes secret as a whole. Providers that know nothing of secrets are treated so by the engine; the published random
// provider is one.
func mirrorSecrets(out, in property.Map) property.Map {
	marked := out.Clone()
	for name, from := range in.All() {
		to, ok := out.Lookup(name)
		if !ok {
			continue
		}
		toMap, bothMaps := to.AsMap()
		fromMap, isMap := from.AsMap()
		switch {
		case bothMaps && isMap && !from.Secret():
			marked[name] = property.FromMap(mirrorSecrets(toMap, fromMap)).WithSecret(to.Secret())
		case from.ContainsSecret():
			marked[name] = to.MakeSecret()
		}
	}
	return property.MapOf(marked)
}

// mirror is mirrorSecrets for a resource's outputs: those that repeat a secret input under another name become secret
// too. The published provider leaves these plain.
func (d *definition) mirror(outputs, inputs property.Map) property.Map {
	marked := mirrorSecrets(outputs, inputs).Clone()
	for _, a := range d.attributes {
		v, ok := marked[a.name]
		if ok && a.echoes != "" && !v.ContainsUnknown() && inputs.Get(a.echoes).ContainsSecret() {
			marked[a.name] = v.MakeSecret()
		}
	}
	return property.MapOf(marked)
}
