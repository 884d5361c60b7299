package syntax

import (
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

type Changes struct {
	Size     *int
	Until    *string
	Scenario *string
	Set      []Setting
	Files    func(name string) ([]byte, error)
}

// A Setting is a value to be put in the place of what the file has under a name.
type Setting struct {
	Name, Text string
	Node       *yaml.Node // what the text says, once it has been read; nil if it cannot be
}

// Apply makes the changes that were asked for.
func (r *Reader) Apply(f *File, c Changes) {
	if c.Size != nil {
		if f.Size = *c.Size; f.Size < 0 || f.Size > MostIndividuals {
			r.Add(diag.Place{File: "--size"}, "%d: expected a number from 0 to %d", f.Size, MostIndividuals)
			f.SizeBad = true
		} else {
			f.SizeBad = false
		}
		f.SizeAt = diag.Place{File: "--size"}
	}
	if c.Until != nil {
		flag := r.Like("--until")
		if end, ok := flag.ClockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: *c.Until}, "the end", f.Unit); ok {
			if f.End = end; f.wrongEnd() != "" {
				r.Add(diag.Place{File: "--until"}, "%s is %s the start of the model, %s", diag.Echo(*c.Until), f.wrongEnd(), f.Zero.words(f.Start))
				f.End = math.NaN()
			}
		}
	}
	r.applyScenario(f, c.Scenario)
	for _, set := range c.Set {
		if set.Node == nil || inFile(set.Name) && !f.HasParameter(set.Name) {
			continue // it could not be read, or has been done before the file was
		}
		flag := r.Like("--set " + set.Name)
		i := slices.Index(f.ParameterNames(), set.Name)
		if i < 0 {
			r.Add(diag.Place{File: flag.file}, "%s", diag.Unknown("parameter", set.Name, f.ParameterNames))
			continue
		}
		f.Changed[set.Name] = true
		flag.Most = SpareEntries + 4*Entries(set.Node)
		f.Parameters[i].Value, f.Parameters[i].Node = flag.Value(set.Node, "the value", KindAny), set.Node
	}
}

// readSettings reads the values that are asked for.
func (r *Reader) readSettings() {
	for i := range r.Asked.Set {
		set := &r.Asked.Set[i]
		flag := r.Like("--set " + set.Name)
		if strings.TrimSpace(set.Text) == "" {
			r.Add(diag.Place{File: flag.file}, "the value: found nothing, expected %s such as %s", KindAny, KindAny.Like())
		} else {
			set.Node = flag.Document([]byte(set.Text))
		}
	}
}
