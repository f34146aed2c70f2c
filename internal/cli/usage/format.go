package usage

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Format is how a command writes its answer; the texts are the values of --output.
type Format string

// The formats.
const (
	Text Format = "default"
	JSON Format = "json"
)

// Output adds --output, and --json (-j) as its older spelling.
func Output(cmd *cobra.Command, to *Format) {
	*to = Text
	flags := cmd.Flags()
	flags.Var((*formatFlag)(to), "output", "how to write the answer: default or json")
	old := flags.VarPF((*jsonFlag)(to), "json", "j", "the same as --output json")
	old.NoOptDefVal = "true"
	cmd.MarkFlagsMutuallyExclusive("output", "json")
}

// formatFlag is --output.
type formatFlag Format

var _ pflag.Value = (*formatFlag)(nil)

func (f *formatFlag) String() string { return string(*f) }

func (f *formatFlag) Type() string { return "string" }

func (f *formatFlag) Set(text string) error {
	switch Format(text) {
	case "", Text:
		*f = formatFlag(Text)
	case JSON:
		*f = formatFlag(JSON)
	default:
		return fmt.Errorf("%q is not supported; supported are default and json", text)
	}
	return nil
}

// jsonFlag is --json.
type jsonFlag Format

var _ pflag.Value = (*jsonFlag)(nil)

func (f *jsonFlag) String() string { return strconv.FormatBool(Format(*f) == JSON) }

func (f *jsonFlag) Type() string { return "bool" }

// IsBoolFlag lets the flag stand without a value.
func (f *jsonFlag) IsBoolFlag() bool { return true }

func (f *jsonFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return err
	}
	if on {
		*f = jsonFlag(JSON)
	}
	return nil
}
