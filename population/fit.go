package population

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/fitting"
)

// A Fit is what a model is to be fitted to: which of its parameters are unknown, and what is known of them beforehand; and which columns of a
// table it is to match. [Model.Fit] reads it from the file.
//
// It does not change, and may be used from several goroutines at once.
type Fit struct {
	Data     string // the path of the table, as it is written; empty if nobody said
	Unknowns []Unknown
	Matches  []Match

	m    *Model
	text *fitting.Fit

	lately lately // see Follow
}

// FitOptions say what is to be fitted in place of what the file says, or beside it.
type FitOptions struct {
	Data    string   // the path of the table; the file need not name one then
	Unknown []string // parameters and what is known of them: "beta=uniform 0.1..1 per day"; they replace those of the file, or add to them
	Match   []string // columns: "cases = incidence susceptible->infectious observed 30% poisson"; likewise
}

// Fit reads what is to be fitted from the section fit of the file, and from the options. If something is wrong with it, the error is of type
// [Problems].
func (m *Model) Fit(o FitOptions) (*Fit, error) {
	list := &diag.List{}
	if m.compiled.File.Fit == nil && len(o.Unknown)+len(o.Match) == 0 {
		list.Add(diag.Place{File: m.compiled.File.Path, Line: 1, Column: 1}, "the model has no section fit; write fit: %s in the file, or say what is unknown with --unknown and what is to be matched with --match", fitting.FitLike)
		return nil, list.Err()
	}
	text := fitting.Read(m.compiled, list, fitting.Asked(o))
	if err := list.Err(); err != nil {
		return nil, err
	}
	f := &Fit{Data: text.Data.Name, m: m, text: text}
	for i := range text.Match {
		t := &text.Match[i]
		f.Matches = append(f.Matches, Match{Column: t.Column.Name, Kind: t.Kind, Of: t.Of.Name, Error: t.Error.Family})
	}
	for i := range text.Unknown {
		f.Unknowns = append(f.Unknowns, newUnknown(&text.Unknown[i], m.compiled.Quietly()))
	}
	f.bound(list)
	if err := list.Err(); err != nil {
		return nil, err
	}
	return f, nil
}
