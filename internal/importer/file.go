package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/cairn-iac/cairn/internal/urn"
)

// File is an import file, in the shape of the Pulumi CLI.
type File struct {
	// NameTable gives names to resources of the stack, for Parent and Provider.
	NameTable map[string]urn.URN `json:"nameTable,omitempty"`
	Resources []Spec             `json:"resources,omitempty"`
	// ProviderInputs configure providers of NameTable that are not recorded; they may as well be among Resources.
	ProviderInputs map[string]json.RawMessage `json:"providerInputs,omitempty"`
}

// Spec is one resource to import.
type Spec struct {
	Type urn.Type `json:"type"`
	// Name is what the file and the generated program call the resource, LogicalName what the stack calls it; either may
	// be left out.
	Name              string `json:"name"`
	LogicalName       string `json:"logicalName,omitempty"`
	ID                string `json:"id,omitempty"`
	Parent            string `json:"parent,omitempty"`
	Provider          string `json:"provider,omitempty"`
	Version           string `json:"version,omitempty"`
	PluginDownloadURL string `json:"pluginDownloadUrl,omitempty"`
	// Properties are the inputs to record; all by default.
	Properties []string `json:"properties,omitempty"`
	Component  bool     `json:"component,omitempty"`
	Remote     bool     `json:"remote,omitempty"`
	// Inputs fill in what a provider cannot read, or configure a provider.
	Inputs           json.RawMessage   `json:"inputs,omitempty"`
	Outputs          json.RawMessage   `json:"outputs,omitempty"`
	Parameterization *Parameterization `json:"parameterization,omitempty"`
	Extension        json.RawMessage   `json:"extension,omitempty"`
}

// Parameterization says which plugin, with which value, is the package of the resource.
type Parameterization struct {
	PluginName    string `json:"pluginName"`
	PluginVersion string `json:"pluginVersion"`
	Value         []byte `json:"value"`
}

// Parse reads an import file. A key that is not known is an error: what it says would be lost.
func Parse(data []byte) (*File, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	f := &File{}
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("it is not an import file: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("it is not an import file: there is something behind the end of the JSON text")
	}
	return f, nil
}
