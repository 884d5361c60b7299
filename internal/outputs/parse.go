package outputs

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/population"
)

// A parser reads an output by recursive descent.
//
//	sum     = product { ("+" | "-") product }
//	product = signed { ("*" | "/") signed }
//	signed  = ("+" | "-") signed | power
//	power   = atom [ "^" signed ]
//	atom    = number [ "%" ] | "(" sum ")" | function "(" … ")"
//
// What a function counts is a name of the model, which may have spaces and signs in it, and so is all that stands in its parentheses, or up
// to the comma.
type parser struct {
	m     *population.Model
	text  string
	i     int // the next byte
	depth int
}

type number = func(*population.Run) float64

const deepest = 50

var errDeep = errors.New("too many parentheses or signs in one another")

func (p *parser) space() {
	for p.i < len(p.text) && p.text[p.i] == ' ' {
		p.i++
	}
}

// accept takes one of some signs, if it is next.
func (p *parser) accept(signs string) byte {
	p.space()
	if p.i < len(p.text) && strings.IndexByte(signs, p.text[p.i]) >= 0 {
		p.i++
		return p.text[p.i-1]
	}
	return 0
}

func (p *parser) unexpected() error {
	if p.space(); p.i >= len(p.text) {
		return fmt.Errorf("it ends too early")
	}
	return fmt.Errorf("did not expect %q", p.text[p.i:])
}

func (p *parser) sum() (number, error) {
	return p.chain("+-", p.product)
}

func (p *parser) product() (number, error) {
	return p.chain("*/", p.signed)
}

// chain reads parts with operators between, from the left.
func (p *parser) chain(signs string, part func() (number, error)) (number, error) {
	if p.depth++; p.depth > deepest {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	a, err := part()
	for err == nil {
		sign := p.accept(signs)
		if sign == 0 {
			return a, nil
		}
		var b number
		if b, err = part(); err == nil {
			a = combine(sign, a, b)
		}
	}
	return nil, err
}

func combine(sign byte, a, b number) number {
	return func(run *population.Run) float64 {
		x, y := a(run), b(run)
		switch sign {
		case '+':
			return x + y
		case '-':
			return x - y
		case '*':
			return x * y
		case '/':
			return x / y
		}
		return portable.Pow(x, y)
	}
}

func (p *parser) signed() (number, error) {
	if p.depth++; p.depth > deepest {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	switch p.accept("+-") {
	case '+':
		return p.signed()
	case '-':
		a, err := p.signed()
		return func(run *population.Run) float64 { return -a(run) }, err
	}
	a, err := p.atom()
	if err == nil && p.accept("^") != 0 {
		b, err := p.signed()
		return combine('^', a, b), err
	}
	return a, err
}

var (
	numeral = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`) })
	word    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_][\pL\pN_ ]*`) })
)

func (p *parser) atom() (number, error) {
	p.space()
	rest := p.text[p.i:]
	if text := numeral().FindString(rest); text != "" {
		x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil {
			return nil, fmt.Errorf("%s is no number to work with", text)
		}
		if p.i += len(text); p.accept("%") != 0 {
			x /= 100
		}
		return func(*population.Run) float64 { return x }, nil
	}
	if p.accept("(") != 0 {
		a, err := p.sum()
		if err == nil && p.accept(")") == 0 {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		return a, err
	}
	name := strings.TrimSpace(word().FindString(rest))
	if name == "" {
		return nil, p.unexpected()
	}
	p.i += len(word().FindString(rest))
	if p.accept("(") == 0 {
		if _, err := p.thing(name); err == nil {
			return nil, fmt.Errorf("%s when? Write final(%s), peak(%s) or at(%s, TIME)", name, name, name, name)
		}
		return nil, fmt.Errorf("%q is not known here; expected a number, or one of %s", name, strings.Join(functions, ", "))
	}
	return p.call(name)
}

var functions = []string{"final(X)", "peak(X)", "time of peak(X)", "at(X, TIME)", "min(…)", "max(…)", "exp(…)", "log(…)", "sqrt(…)"}

// call reads what stands in the parentheses of a function, and the closing one.
func (p *parser) call(name string) (number, error) {
	switch name {
	case "final", "peak", "time of peak", "at":
		inside, ok := p.inside()
		if !ok {
			return nil, fmt.Errorf("the parenthesis after %s is not closed", name)
		}
		if name == "at" {
			k := strings.LastIndex(inside, ",")
			if k < 0 {
				return nil, fmt.Errorf("at(%s): at which time? Write at(%s, TIME)", inside, inside)
			}
			return p.at(inside[:k], inside[k+1:])
		}
		t, err := p.thing(inside)
		if err != nil {
			return nil, err
		}
		switch name {
		case "final":
			return func(run *population.Run) float64 { return t.count(run, run.Rows()-1) }, nil
		case "peak":
			return func(run *population.Run) float64 { most, _ := t.peak(run); return most }, nil
		}
		return func(run *population.Run) float64 { _, when := t.peak(run); return when }, nil
	case "min", "max":
		return p.extreme(name)
	case "exp", "log", "sqrt":
		a, err := p.sum()
		if err == nil && p.accept(")") == 0 {
			err = fmt.Errorf("the parenthesis after %s is not closed", name)
		}
		f := map[string]func(float64) float64{"exp": portable.Exp, "log": portable.Log, "sqrt": math.Sqrt}[name]
		return func(run *population.Run) float64 { return f(a(run)) }, err
	}
	known := []string{"final", "peak", "time of peak", "at", "min", "max", "exp", "log", "sqrt"}
	if near := nearest.Name(name, known); near != "" {
		return nil, fmt.Errorf("there is no %s(…); did you mean %s(…)?", name, near)
	}
	return nil, fmt.Errorf("there is no %s(…); there are %s", name, strings.Join(functions, ", "))
}

func (p *parser) extreme(name string) (number, error) {
	var all []number
	for {
		a, err := p.sum()
		if err != nil {
			return nil, err
		}
		all = append(all, a)
		switch p.accept(",)") {
		case ')':
			return func(run *population.Run) float64 {
				x := all[0](run)
				for _, a := range all[1:] {
					if name == "min" {
						x = math.Min(x, a(run))
					} else {
						x = math.Max(x, a(run))
					}
				}
				return x
			}, nil
		case 0:
			return nil, fmt.Errorf("the parenthesis after %s is not closed", name)
		}
	}
}

// inside takes the text up to the parenthesis that closes.
func (p *parser) inside() (string, bool) {
	k := strings.IndexByte(p.text[p.i:], ')')
	if k < 0 {
		return "", false
	}
	text := p.text[p.i : p.i+k]
	p.i += k + 1
	return text, true
}

// at is how many there are at a time, which must be one that is recorded: between them nothing is known.
func (p *parser) at(what, when string) (number, error) {
	t, err := p.thing(what)
	if err != nil {
		return nil, err
	}
	x, err := p.m.Clock(strings.TrimSpace(when))
	if err != nil {
		return nil, err
	}
	times := p.m.Times()
	before, after := math.Inf(-1), math.Inf(1)
	for row, t0 := range times {
		if math.Abs(t0-x) <= 1e-9*max(1, math.Abs(x)) {
			return func(run *population.Run) float64 { return t.count(run, row) }, nil
		}
		if t0 < x {
			before = t0
		} else {
			after = min(after, t0)
		}
	}
	switch {
	case math.IsInf(before, -1):
		return nil, fmt.Errorf("time %.12g is before the start, %.12g", x, p.m.Start())
	case math.IsInf(after, 1):
		return nil, fmt.Errorf("time %.12g is after the end, %.12g", x, p.m.End())
	}
	return nil, fmt.Errorf("time %.12g is not recorded; the nearest are %.12g and %.12g", x, before, after)
}
