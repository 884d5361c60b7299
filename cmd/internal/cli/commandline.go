package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/almanac-sim/almanac/internal/format"
)

// CommandLine reconstructs the command line: flags as they took effect, sorted by name, then the
// arguments.
func CommandLine(c *cobra.Command, args ...string) string {
	words := []string{c.CommandPath()}
	c.Flags().Visit(func(f *pflag.Flag) { words = append(words, flagWords(f)...) })
	for _, a := range args {
		words = append(words, format.Word(a))
	}
	return strings.Join(words, " ")
}

// flagWords returns a flag with its values.
func flagWords(f *pflag.Flag) (words []string) {
	values := []string{f.Value.String()}
	switch many, list := f.Value.(pflag.SliceValue); {
	case f.Value.Type() == "bool" && values[0] == "true":
		return []string{"--" + f.Name}
	case f.Value.Type() == "bool":
		return []string{"--" + f.Name + "=" + values[0]}
	case list && f.Value.Type() == "stringArray":
		values = many.GetSlice()
	case list:
		values = []string{strings.Join(many.GetSlice(), ",")}
	}
	for _, v := range values {
		words = append(words, "--"+f.Name, format.Word(v))
	}
	return words
}
