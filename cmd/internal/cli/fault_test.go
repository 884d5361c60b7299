package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/population"
)

// explode is in the stack of every panic of these tests.
func explode() { var none []int; _ = none[len(os.Args)] }

// A panic, of the command, of a replica that runs in another goroutine, or of a job, is one line that
// says what to report. Its stack is in a file.
func TestFault(t *testing.T) {
	m, err := population.Compile("m.yaml", []byte("name: m\ntime: {unit: day, end: 9}\npopulation: {size: 9, start: {a: rest}}\n"+
		"states: {a: {race: [{rate: 1 per day, to: out}]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func(*cobra.Command) error{
		"itself": func(*cobra.Command) error { explode(); return nil },
		"a replica": func(c *cobra.Command) error {
			_, err := m.Run(c.Context(), population.Options{Replicas: 3, Workers: 2, OnEvent: func(population.Event) { explode() }})
			return err
		},
		"a job": func(c *cobra.Command) error {
			g := new(ensemble.Registry)
			g.AddKind(ensemble.FuncKind("walk", "test", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs,
				error) {
				explode()
				return nil, nil
			}))
			job := ensemble.Job{Name: "job", Kind: "walk", Points: []ensemble.Point{{Repeat: "the same"}}, Replicas: 9}
			_, err := ensemble.InMemory{}.Run(c.Context(), job, ensemble.RunOptions{Registry: g})
			return fmt.Errorf("the study: %w", err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			t.Setenv("TMP", temporary) // on Windows
			root := &cobra.Command{Use: "almanac", Version: "almanac 1.2.3"}
			root.AddCommand(&cobra.Command{Use: "work", RunE: func(c *cobra.Command, _ []string) error { return work(c) }})
			var out, errs bytes.Buffer
			if status := cli.Run(t.Context(), root, []string{"work", "a b.yaml"}, &out, &errs); status != cli.ExitWork {
				t.Errorf("status %d", status)
			}
			files, err := filepath.Glob(filepath.Join(temporary, "almanac-fault-*.txt"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, %v: %s", files, err, errs.String())
			}
			line := errs.String()
			if strings.Count(line, "\n") != 1 || out.Len() > 0 || strings.Contains(line, "goroutine") ||
				!strings.HasPrefix(line, "almanac: this is a fault of the program, not of the model: ") ||
				!strings.Contains(line, "index out of range") || !strings.HasSuffix(line, "and the file "+files[0]+"\n") {
				t.Errorf("printed %q and %q", out.String(), line)
			}
			text, err := os.ReadFile(files[0])
			for _, want := range []string{"almanac 1.2.3\nalmanac work 'a b.yaml'\n", "cli_test.explode"} {
				if !strings.Contains(string(text), want) {
					err = errors.Join(err, fmt.Errorf("%q is not in it", want))
				}
			}
			if err != nil {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
