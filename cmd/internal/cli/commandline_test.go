package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// A command line is rebuilt so that a shell takes it apart into the same words.
func TestCommandLine(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "almanac run"},
		{[]string{"--n", "1e3,1e5", "--list", "a b,c", "--yes"}, "almanac run --list 'a b,c' --n 1e3,1e5 --yes"},
		{[]string{"--yes=false", "x", "it's"}, `almanac run --yes=false x 'it'\''s'`},
		{[]string{"--each", "a=1", "--each", "b={x, y}"}, "almanac run --each a=1 --each 'b={x, y}'"},
		{[]string{"--n", "1-2^-10"}, "almanac run --n 1-2^-10"},
		{[]string{"--n", "$HOME"}, "almanac run --n '$HOME'"},
		{[]string{"--n", ""}, "almanac run --n ''"},
	} {
		got := ""
		sub := &cobra.Command{Use: "run", RunE: func(c *cobra.Command, args []string) error {
			got = CommandLine(c, args...)
			return nil
		}}
		sub.Flags().String("n", "1", "")
		sub.Flags().StringSlice("list", nil, "")
		sub.Flags().StringArray("each", nil, "")
		sub.Flags().Bool("yes", false, "")
		root := &cobra.Command{Use: "almanac"}
		root.AddCommand(sub)
		root.SetArgs(append([]string{"run"}, test.args...))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
