package population

import (
	"math"
	"strconv"

	"github.com/almanac-sim/almanac/internal/format"
)

// An Unknown is a parameter that is not known, and what is known of it beforehand: its prior.
type Unknown struct {
	Name   string
	Family string    // uniform, log-uniform, normal, lognormal, gamma, beta, exponential or weibull
	Args   []float64 // low and high; mean and sd, of the value itself; mean and shape; a and b; mean; scale and shape. All but shape, a and b in the unit
	Unit   string    // what is written behind a number: "per day", "days" or "%"; empty for a plain number
	// What the parameter can be, in the unit: a rate is not negative, a probability is from 0 to 1. The prior is what it is given that.
	Low, High float64
	Whole     bool // it is a number of individuals
	Text      string

	of    quantity // what a value is, and its unit
	plain bool     // a percentage of which the prior is written as a number from 0 to 1
}

// Value is a value of the parameter as a file writes it, and as [Set] takes it: "0.4 per day".
func (u *Unknown) Value(x float64) string {
	if u.plain {
		x = format.Tidy(100 * x)
	}
	return u.written(strconv.FormatFloat(x, 'g', -1, 64), x)
}

// written puts the unit behind a number.
func (u *Unknown) written(number string, x float64) string {
	switch u.of.kind {
	case aShare:
		return number + "%"
	case aDuration:
		return number + " " + u.of.unit.of(x)
	case aRate:
		return number + " per " + u.of.unit.name
	}
	return number
}

// quantity is a value as the model works with it: what Value says, read.
func (u *Unknown) quantity(x float64) quantity {
	q := u.of
	switch q.number = x; {
	case u.plain:
		q.number = format.Tidy(100*x) / 100
	case q.kind == aShare:
		q.number = x / 100
	}
	return q
}

// in is a quantity in the unit.
func (u *Unknown) in(q quantity) float64 {
	switch {
	case u.of.kind == aShare && !u.plain:
		return format.Tidy(100 * q.number)
	case u.of.kind == aShare || u.of.kind == aNumber:
		return q.number
	}
	return q.in(u.of.unit)
}

// unknown is the prior with its numbers, in the unit in which it is written.
func (p *priorText) unknown(here scope) Unknown {
	u := Unknown{Name: p.label.name, Family: p.family.Name, Low: math.Inf(-1), High: math.Inf(1), Text: oneLine(p.node), of: quantity{kind: aNumber}}
	args := make([]quantity, len(p.args))
	for k, v := range p.args {
		got, _, _ := here.resolve(v, "")
		args[k] = got.quantity
	}
	for _, q := range args[:p.family.Own] { // a percentage beside a plain 0 is one
		if u.of.kind == aNumber {
			u.of = q
		}
	}
	u.of.number = 0
	u.Unit, _ = unitWords(u.of)
	if got, _, _ := here.resolve(value{name: p.label.name}, ""); u.of.kind == aNumber && got.quantity.kind == aShare {
		u.of, u.plain = quantity{kind: aShare}, true
	}
	for k, q := range args {
		x := q.number
		if k < p.family.Own {
			x = u.in(q)
		}
		u.Args = append(u.Args, x)
	}
	return u
}
