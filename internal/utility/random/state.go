package random

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/cairn-iac/cairn/internal/property"
)

// metaKey is the output in which bridges record the version of the attributes' layout, as JSON text.
const metaKey = "__meta"

const repairState = "correct the resource's outputs in the state, or remove the resource from the state and make or import it again"

// load reads recorded outputs, of this version or an older one.
func (d *definition) load(outputs property.Map) (values, error) {
	version, err := d.recordedVersion(outputs)
	if err != nil {
		return nil, err
	}
	out := values{}
	for _, a := range d.attributes {
		recorded := outputs.Get(a.name)
		if raw, ok := replaced(outputs, a.name); ok {
			recorded = raw
		}
		v, err := stateReader().read(a.kind, recorded)
		if err != nil {
			return nil, fmt.Errorf("the recorded state is not that of a %s: output %s: %w; %s", d.name, a.name, err, repairState)
		}
		if !v.known() {
			return nil, fmt.Errorf("the recorded state is not that of a %s: output %s is unknown; %s", d.name, a.name, repairState)
		}
		out[a.name] = v
	}
	if version == d.version {
		return out, nil
	}
	return d.upgrade(version, out)
}

// recordedVersion is the version that outputs have the layout of.
func (d *definition) recordedVersion(outputs property.Map) (int, error) {
	var meta struct {
		Version string `json:"schema_version"`
	}
	if text, ok := outputs.Get(metaKey).AsString(); ok {
		if err := json.Unmarshal([]byte(text), &meta); err != nil {
			return 0, fmt.Errorf("read the recorded state: output %s: %w; %s", metaKey, err, repairState)
		}
	}
	version := 0
	if meta.Version != "" {
		var err error
		if version, err = strconv.Atoi(meta.Version); err != nil || version < 0 {
			return 0, fmt.Errorf("read the recorded state: output %s: schema_version %q is not a version number; %s",
				metaKey, meta.Version, repairState)
		}
	}
	if version == 0 {
		version = d.unversioned
	}
	if version > d.version {
		return 0, fmt.Errorf("the state of this %s was recorded by a newer provider (schema version %d, this one knows %d): "+
			"use that provider's version or a newer one", d.name, version, d.version)
	}
	return version, nil
}

// outputs gives what is recorded of known attributes.
func (d *definition) outputs(attributes values) property.Map {
	out := d.properties(attributes).Clone()
	out[deltaKey] = d.delta(attributes)
	if d.version != 0 {
		out[metaKey] = property.String(fmt.Sprintf(`{"schema_version":"%d"}`, d.version))
	}
	return property.MapOf(out)
}

// properties gives attributes as properties: null ones are left out, known secrets are marked.
func (d *definition) properties(attributes values) property.Map {
	out := map[string]property.Value{}
	for _, a := range d.attributes {
		v := attributes[a.name]
		if v.isNull() {
			continue
		}
		out[a.name] = v.property().WithSecret(a.secret && v.known())
	}
	return property.MapOf(out)
}

// id is the resource's id.
func (d *definition) id(attributes values) string { return attributes.str(d.idFrom) }
