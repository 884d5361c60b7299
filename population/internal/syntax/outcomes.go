package syntax

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// An Outcome is an entry of the section outcomes: a number that grows with time and by events, such
// as a cost.
type Outcome struct {
	Ref
	What     string // how messages name it
	Time     Value  // the rate at which it grows for each individual, if given
	Events   []OutcomeEvent
	Discount Value // of Rate; if given
	From     Value // a time before which nothing counts, if given
}

// An OutcomeEvent is the amount that an outcome grows by each time that something happens: what is
// counted under a name, or a flow.
type OutcomeEvent struct {
	Of     Ref
	Amount Value
}

const exampleOutcome = "{time: 50 per year, events: {death: 900}, discount: 3% per year}"

// outcomes reads the section outcomes.
func (r *Reader) outcomes(m *File, n *yaml.Node) {
	for _, p := range r.Pairs(n, "outcomes", "{cost: "+exampleOutcome+"}") {
		if !r.checkName(p.Key, "outcomes", p.Name) {
			continue
		}
		o := Outcome{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: "outcomes: " + p.Name}
		f := r.Fields(p.Value, o.What, exampleOutcome, "time", "events", "discount", "from")
		if f == nil {
			continue
		}
		if t := f.Get("time"); t != nil {
			o.Time = r.outcomeValue(t, o.What+": time", quantity.Rate)
		}
		if e := f.Get("events"); e != nil {
			for _, event := range r.Pairs(e, o.What+": events", "{death: 900}") {
				of := Ref{Name: flowName(event.Name), At: r.Place(event.Key)}
				what := o.What + ": events: " + diag.Shorten(event.Name)
				if slices.ContainsFunc(o.Events, func(e OutcomeEvent) bool { return e.Of.Name == of.Name }) { // a->b and a -> b
					r.Fail(event.Key, "%s: it is here twice", what)
					continue
				}
				o.Events = append(o.Events, OutcomeEvent{of, r.outcomeValue(event.Value, what, quantity.Number)})
			}
		}
		if d := f.Get("discount"); d != nil {
			o.Discount = r.discount(d, o.What+": discount")
		}
		o.From = f.Value("from", quantity.Duration)
		m.Outcomes = append(m.Outcomes, o)
	}
}

// outcomeValue reads a weight or an amount. A group alone is a table without its by, not a
// distribution.
func (r *Reader) outcomeValue(n *yaml.Node, what string, want quantity.Kind) Value {
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[1].Kind == yaml.ScalarNode {
		key := n.Content[0].Value
		if !slices.Contains([]string{"by", "exactly", "exponential", "value"}, key) {
			r.Fail(n, "%s: a table says by what, such as {by: state, %s: %s, other: …}", what, diag.Shorten(key),
				diag.Shorten(n.Content[1].Value))
			return Value{At: r.Place(n), Bad: true}
		}
	}
	return r.Value(n, what, want)
}

// flowName returns the name of a flow without spaces around its arrow, and any other name as it is.
func flowName(name string) string {
	if from, to, ok := strings.Cut(name, "->"); ok {
		return strings.TrimSpace(from) + "->" + strings.TrimSpace(to)
	}
	return name
}

// discount reads a rate of discount: 3% per year, or a value that is a rate, such as a parameter.
func (r *Reader) discount(n *yaml.Node, what string) Value {
	text := strings.TrimSpace(n.Value)
	if share, per, ok := strings.Cut(text, "%"); ok && n.Kind == yaml.ScalarNode {
		number, isNumber := quantity.ParseNumber(strings.TrimSpace(share))
		unit, err := quantity.FindUnit(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(per), "per")))
		if isNumber && err == nil && strings.HasPrefix(strings.TrimSpace(per), "per ") {
			q := quantity.Quantity{Kind: quantity.Rate, Number: number / 100, Unit: unit}
			return Value{At: r.Place(n), Text: diag.Shorten(text), Quantity: q}
		}
	}
	return r.Value(n, what, quantity.Rate)
}

// recordTime reads record: time.
func (r *Reader) recordTime(m *File, n *yaml.Node) {
	switch text, ok := r.text(n, "record: time", "true or false"); {
	case !ok:
	case slices.Contains([]string{"true", "false"}, text):
		m.Record.Time = text == "true"
	default:
		r.Fail(n, "record: time: found %s, expected true or false", diag.Quote(text))
	}
}
