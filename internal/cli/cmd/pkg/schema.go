package pkg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-iac/cairn/internal/cli/factory"
	"github.com/cairn-iac/cairn/internal/cli/usage"
	"github.com/cairn-iac/cairn/internal/schema"
)

func newSchemaCmd(f *factory.Factory) *cobra.Command {
	w := wanted{f: f}
	cmd := &cobra.Command{
		Use: "get-schema <schema-source> [flags] [--] [provider-parameter]...", Args: usage.AtLeast(1),
		Short:   "Get the schema.json from a package",
		Long:    "Prints the schema of a package as JSON.\n\n" + sourceHelp,
		Example: "  pulumi package get-schema random@4.21.2\n  pulumi package get-schema ./my-provider",
		RunE: func(cmd *cobra.Command, args []string) error {
			w.source, w.args = args[0], args[1:]
			return w.print(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&w.server, "server", "", "the URL to download the plugin from")
	return cmd
}

// print writes the provider's document as it is, indented: what this program does not know of it is kept.
func (w wanted) print(ctx context.Context) error {
	text, err := w.document(ctx)
	if err != nil {
		return err
	}
	if _, err := schema.Parse(text); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(text), "", "  "); err != nil {
		return fmt.Errorf("the schema: %w", err)
	}
	b.WriteByte('\n')
	w.f.Streams.Printf("%s", b.String())
	return nil
}
