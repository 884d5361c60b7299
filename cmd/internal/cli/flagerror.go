package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// expectedValues says what a flag of each type takes, with an example.
var expectedValues = map[string]string{
	"int":      "a whole number, as in 10",
	"uint64":   "a whole number from 0 on, as in 1",
	"float64":  "a number, as in 0.5",
	"duration": "a duration with its unit, as in 90s, 10m or 2h",
	"bool":     "true or false",
}

// wrongValue words the error of a flag whose value cannot be read, in place of what the functions
// that read it say of themselves. It returns nil for any other error.
func wrongValue(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return nil
	}
	flag, value := invalid.GetFlag(), strings.TrimSpace(invalid.GetValue())
	expected, ok := expectedValues[flag.Value.Type()]
	if !ok {
		return nil
	}
	if plain := strings.NewReplacer("_", "", ",", "", " ", "").Replace(value); plain != value {
		if _, wrong := strconv.ParseInt(plain, 10, 64); wrong == nil {
			return Usagef("--%s: %q: write it without separators, as %s", flag.Name, value, plain)
		}
	}
	return Usagef("--%s: %q is not what it takes: %s; see %s --help", flag.Name, value, expected, c.CommandPath())
}
