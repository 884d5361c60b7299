package population

import (
	"math"
	"strconv"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/fitting"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Fit says what a model is to be fitted to: which parameters are unknown, with their priors, and
// which columns of a table the model is to match. [Model.Fit] reads it from the file.
//
// A Fit does not change and may be used from several goroutines at once.
type Fit struct {
	Data     string // the path of the table, as it is written; empty if there is none
	Unknowns []Unknown
	Columns  []string // of the table that the model is to match

	m       *Model
	text    *fitting.Fit
	matches []modelfit.Match

	lately lately // see follow
}

// FitOptions replace what the section fit of the file says, or add to it.
type FitOptions struct {
	Data string // the path of the table, instead of the file's
	// parameters and what is known of them: "beta=uniform 0.1..1 per day"; they replace those of
	// the file, or add to them
	Unknown []string
	Match   []string // columns: "cases = incidence susceptible->infectious observed 30% poisson"; likewise
}

// Fit reads the section fit of the file, and the options. If something is wrong, the error is of
// type [Problems].
func (m *Model) Fit(o FitOptions) (*Fit, error) {
	list := &diag.List{}
	if m.compiled.File.Fit == nil && len(o.Unknown)+len(o.Match) == 0 {
		list.Add(diag.Place{File: m.compiled.File.Path, Line: 1, Column: 1},
			"the model has no section fit; write fit: %s in the file, or say what is unknown with --unknown and what is to "+
				"be matched with --match", fitting.Example)
		return nil, list.Err()
	}
	text := fitting.Read(m.compiled, list, fitting.Options(o))
	if err := list.Err(); err != nil {
		return nil, err
	}
	f := &Fit{Data: text.Data.Name, m: m, text: text}
	for i := range text.Match {
		t := &text.Match[i]
		f.Columns = append(f.Columns, t.Column.Name)
		f.matches = append(f.matches, modelfit.Match{Column: t.Column.Name, Kind: t.Kind, Of: t.Of.Name,
			Tested: t.Tested.Name, Where: f.where(t.Where), Error: t.Error.Family})
	}
	for i := range text.Unknown {
		f.Unknowns = append(f.Unknowns, newUnknown(&text.Unknown[i], m.compiled.StartScope()))
	}
	f.bound(list)
	if err := list.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// An Unknown is an unknown parameter and its prior.
type Unknown struct {
	Name   string
	Family string // uniform, log-uniform, normal, lognormal, gamma, beta, exponential or weibull
	// low, high; mean, sd (of the value itself); mean, shape; a, b; mean; scale, shape. All but
	// shape, a and b in Unit
	Args []float64
	Unit string // what is written behind a number: "per day", "days" or "%"; empty for a plain number
	// The range of the parameter, in the unit: a rate is not negative, a probability is from 0 to
	// 1. The prior is conditioned on it.
	Low, High float64
	Whole     bool // a number of individuals
	Text      string

	of    quantity.Quantity // the kind of quantity and its unit
	plain bool              // a percentage whose prior is written as a number from 0 to 1
}

// Value is a value of the parameter as a file writes it and as [Set] takes it: "0.4 per day".
func (u *Unknown) Value(x float64) string {
	if u.plain {
		x = format.Tidy(100 * x)
	}
	return u.written(strconv.FormatFloat(x, 'g', -1, 64), x)
}

// written puts the unit behind a number.
func (u *Unknown) written(number string, x float64) string {
	switch u.of.Kind {
	case quantity.Share:
		return number + "%"
	case quantity.Duration:
		return number + " " + u.of.Unit.NameFor(x)
	case quantity.Rate:
		return number + " per " + u.of.Unit.Name
	}
	return number
}

// quantity is what [Value] returns, parsed.
func (u *Unknown) quantity(x float64) quantity.Quantity {
	q := u.of
	switch q.Number = x; {
	case u.plain:
		q.Number = format.Tidy(100*x) / 100
	case q.Kind == quantity.Share:
		q.Number = x / 100
	}
	return q
}

// in converts a quantity to the unit.
func (u *Unknown) in(q quantity.Quantity) float64 {
	switch {
	case u.of.Kind == quantity.Share && !u.plain:
		return format.Tidy(100 * q.Number)
	case u.of.Kind == quantity.Share || u.of.Kind == quantity.Number:
		return q.Number
	}
	return q.In(u.of.Unit)
}

// newUnknown is a prior with its numbers, in the unit in which it is written.
func newUnknown(p *fitting.Prior, here eval.Scope) Unknown {
	u := Unknown{
		Name:   p.Label.Name,
		Family: p.Family.Name,
		Low:    math.Inf(-1),
		High:   math.Inf(1),
		Text:   syntax.OneLine(p.Node),
		of:     quantity.Quantity{Kind: quantity.Number},
	}
	args := make([]quantity.Quantity, len(p.Args))
	for k, v := range p.Args {
		got, _, _ := here.Resolve(v, "")
		args[k] = got.Quantity
	}
	for _, q := range args[:p.Family.Own] { // a percentage beside a plain 0 decides
		if u.of.Kind == quantity.Number {
			u.of = q
		}
	}
	u.of.Number = 0
	u.Unit, _ = quantity.UnitSuffix(u.of)
	if got, _, _ := here.Resolve(syntax.Value{Name: p.Label.Name}, ""); u.of.Kind == quantity.Number &&
		got.Quantity.Kind == quantity.Share {
		u.of, u.plain = quantity.Quantity{Kind: quantity.Share}, true
	}
	for k, q := range args {
		x := q.Number
		if k < p.Family.Own {
			x = u.in(q)
		}
		u.Args = append(u.Args, x)
	}
	return u
}
