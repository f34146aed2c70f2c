package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// every is how many resources there are to one that the change phase replaces.
const every = 10

// generation tells which resources the change phase replaces.
func generation(i int, p phase) int {
	if (p == change || p == destroy) && i%every == 0 {
		return 2
	}
	return 1
}

// writePets writes a YAML program of random pets.
func writePets(dir string, size int, p phase) error {
	var b strings.Builder
	b.WriteString("name: bench\nruntime: yaml\nresources:\n")
	for i := range size {
		fmt.Fprintf(&b, "  pet%05d:\n    type: random:RandomPet\n    properties:\n      length: 3\n", i)
		fmt.Fprintf(&b, "      prefix: bench\n      keepers:\n        generation: %q\n", fmt.Sprint(generation(i, p)))
	}
	return os.WriteFile(filepath.Join(dir, "project", "Pulumi.yaml"), []byte(b.String()), 0o600)
}

// writeData writes a Terraform module of built-in resources.
func writeData(dir string, size int, p phase) error {
	var b strings.Builder
	for i := range size {
		fmt.Fprintf(&b, "resource \"terraform_data\" \"pet%05d\" {\n", i)
		fmt.Fprintf(&b, "  input            = { length = 3, prefix = \"bench\" }\n")
		fmt.Fprintf(&b, "  triggers_replace = { generation = %q }\n}\n", fmt.Sprint(generation(i, p)))
	}
	return os.WriteFile(filepath.Join(dir, "project", "main.tf"), []byte(b.String()), 0o600)
}
