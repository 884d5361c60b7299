package syntax

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Condition compares a number with a limit: of the individuals in a state, of the living, or of
// the events in the time before.
type Condition struct {
	Of    Ref   // the state or total, as it is written; or the whole text of a condition on incidence
	Event Ref   // incidence: the name or the flow that is counted
	Over  Value // incidence: in how much time; not given otherwise
	Above bool  // otherwise below
	Limit Value
}

// Text returns the condition as it is written.
func (c *Condition) Text() string {
	if c.Above {
		return c.Of.Name + " above " + c.Limit.Text
	}
	return c.Of.Name + " below " + c.Limit.Text
}

var incidencePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^incidence *\((.*)\)(.*)$`)
})

// conditions reads what an intervention waits for, and reports whether it could.
func (r *Reader) conditions(p *Intervention, f *Fields, when *yaml.Node) bool {
	const example = "{infectious: above 1%}"
	before := r.Count
	for _, key := range []string{"at", "every", "until"} {
		if n := f.Get(key); n != nil {
			r.Fail(n, "%s: both when and %s; it happens when its condition becomes true, or at times that are known",
				p.What, key)
		}
	}
	if n := f.Get("again"); n != nil {
		if p.Again = n.Value == "true"; !p.Again && n.Value != "false" {
			r.Fail(n, "%s: again: found %s, expected true or false", p.What, Describe(n))
		}
	}
	for _, c := range r.Pairs(when, p.What+": when", example) {
		// A state may be called for or where, too.
		switch {
		case c.Name == "where" && !isComparison(c.Value):
			p.Among = (&Fields{r: r, what: p.What + ": when", Node: when}).whereOf(c.Value, "where")
		case c.Name == "for" && !isComparison(c.Value):
			p.For = r.Value(c.Value, p.What+": when: for", quantity.Duration)
		default:
			r.condition(p, c)
		}
	}
	if len(p.Conditions) == 0 && r.Count == before {
		r.Fail(when, "%s: when: expected a state, or total, and what its number is to be, such as %s", p.What, example)
	}
	return r.Count == before
}

// isComparison reports whether a value is written as one of a condition.
func isComparison(n *yaml.Node) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(n.Value), " ")
	return n.Kind == yaml.ScalarNode && (word == "above" || word == "below")
}

// condition reads one condition.
func (r *Reader) condition(p *Intervention, c Pair) {
	what := p.What + ": when: " + diag.Shorten(c.Name)
	text, ok := r.text(c.Value, what, "above or below a number or a percentage, such as above 1%")
	if !ok {
		return
	}
	_, limit, _ := strings.Cut(text, " ")
	limit = strings.TrimSpace(limit)
	if above, lasts, ok := strings.Cut(text, " for "); ok && isComparison(c.Value) {
		r.Fail(c.Value, "%s: found %s; write for beside it: {%s: %s, for: %s}", what, diag.Quote(text),
			diag.Shorten(c.Name), diag.Shorten(above), diag.Shorten(lasts))
		return
	}
	if number, per, ok := strings.Cut(limit, " per "); ok && isComparison(c.Value) {
		instead := "a percentage of the living, such as above 1%"
		x, known := quantity.ParseNumber(strings.TrimSpace(number))
		y, alsoKnown := quantity.ParseNumber(strings.TrimSpace(per))
		if known && alsoKnown && x >= 0 && x <= y && y > 0 {
			instead = fmt.Sprintf("%s %.12g%%", strings.Fields(text)[0], 100*x/y)
		}
		if strings.HasPrefix(c.Name, "incidence") {
			instead = "a number of events"
		}
		r.Fail(c.Value, "%s: found %s; numbers per so many individuals are not understood here, write %s", what,
			diag.Quote(text), instead)
		return
	}
	if !isComparison(c.Value) || limit == "" {
		r.Fail(c.Value, "%s: found %s, expected above or below and a number or a percentage, such as above 1%%",
			what, diag.Quote(text))
		return
	}
	condition := Condition{Of: Ref{Name: c.Name, At: r.Place(c.Key)}, Above: strings.HasPrefix(text, "above")}
	if by, _, is := strings.Cut(c.Name, "="); is {
		r.noteAsked(by)
	}
	parts := incidencePattern().FindStringSubmatch(c.Name)
	if parts != nil && !r.incidence(&condition, c.Key, parts, what) {
		return
	}
	v := *c.Value
	v.Value = limit
	condition.Limit = r.Value(&v, what, quantity.Number)
	p.Conditions = append(p.Conditions, condition)
}

// incidence reads a condition on the events in the time before, such as
// incidence(infection) over 7 days, and reports whether it could.
func (r *Reader) incidence(c *Condition, key *yaml.Node, parts []string, what string) bool {
	event := strings.Trim(strings.TrimSpace(parts[1]), `"`)
	c.Event = Ref{Name: strings.ReplaceAll(event, " -> ", "->"), At: r.Place(key)}
	over, ok := strings.CutPrefix(strings.TrimSpace(parts[2]), "over ")
	if !ok || event == "" {
		r.Fail(key, "%s: expected what is counted and in how much time, such as incidence(infection) over 7 days", what)
		return false
	}
	n := *key
	n.Value = strings.TrimSpace(over)
	c.Over = r.Value(&n, what+": over", quantity.Duration)
	return !c.Over.Bad
}
