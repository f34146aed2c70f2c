package yaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-iac/cairn/internal/diag"
	"github.com/cairn-iac/cairn/internal/langhost"
	"github.com/cairn-iac/cairn/internal/langhost/yaml"
	"github.com/cairn-iac/cairn/internal/schema"
)

// BenchmarkRun runs programs of independent resources; time per resource is to stay the same.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var text strings.Builder
			text.WriteString("name: demo\nresources:\n")
			for i := range n {
				fmt.Fprintf(&text, "  r%d:\n    type: test:Pet\n    properties: {length: %d, prefix: p, tags: {a: b}}\n", i, i%7)
			}
			pkg, err := schema.Parse([]byte(testSchema))
			if err != nil {
				b.Fatal(err)
			}
			dir := b.TempDir()
			write(b, dir+"/Pulumi.yaml", text.String())
			for b.Loop() {
				d := newDeployment(b, &deployment{outputsFn: pets})
				err := yaml.New().Run(b.Context(), langhost.RunRequest{
					Program: langhost.Program{Root: dir, Directory: dir}, Project: "demo", Stack: "dev",
					MonitorAddress: d.address, Schemas: catalog{"test": pkg}, Report: func(diag.Diagnostic) {},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/resource")
		})
	}
}
