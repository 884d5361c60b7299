package outputs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/population"
)

// The functions that count something in a model, as messages list them.
var functions = []string{"final(X)", "peak(X)", "time of peak(X)", "at(X, TIME)", "incidence(X)",
	"first time(X above N)", "last time(X above N)", "min(…)", "max(…)", "exp(…)", "log(…)", "sqrt(…)"}

// counting are their names, and arithmetic the others.
var (
	counting   = []string{"final", "peak", "time of peak", "at", "incidence", "first time", "last time"}
	arithmetic = []string{"min", "max", "exp", "log", "sqrt"}
)

// A number of persons for which something is counted: per 100_000. none means all there are.
type persons float64

const none persons = 0

// share is a number for so many of a population.
func (p persons) share(x, population float64) float64 {
	if p == none {
		return x
	}
	return x / population * float64(p)
}

// call is what a function counts of something in a model.
func (n *names) call(name, inside string, per persons) (number, error) {
	what, group := cutGroup(inside)
	switch name {
	case "at":
		x, when, ok := cutLast(what, ",")
		if !ok {
			return nil, fmt.Errorf("at(%s): at which time? Write at(%s, TIME)", inside, inside)
		}
		return n.at(x+group, when, per)
	case "incidence":
		return n.incidence(what, group, per)
	case "first time", "last time":
		if per != none {
			return nil, fmt.Errorf("%s(…) is a time, which is not per person; the level may be: above 50 per 100_000", name)
		}
		return n.timeOf(name, inside)
	}
	q, err := n.findFor(inside, per)
	if err != nil {
		return nil, err
	}
	switch name {
	case "final":
		return func(run *population.Run) float64 {
			c := q.in(run)
			return per.share(c.count(c.rows-1), c.living(c.rows-1))
		}, nil
	case "peak":
		return func(run *population.Run) float64 { most, _ := q.highest(run, per); return most }, nil
	}
	if per != none {
		return nil, fmt.Errorf("time of peak(…) is a time, which is not per person; leave out per")
	}
	return func(run *population.Run) float64 { _, when := q.highest(run, per); return when }, nil
}

// cutGroup cuts off the group at the end of what stands in the parentheses, with its comma.
func cutGroup(inside string) (what, group string) {
	what = inside
	for {
		before, last, ok := cutLast(what, ",")
		if !ok || !isGroup(last) {
			return what, inside[len(what):]
		}
		what = before
	}
}

// highest is the largest level, and when it was first reached. Of a share of the living it is that
// of a row.
func (q *quantity) highest(run *population.Run, per persons) (most, when float64) {
	if q.peak != nil && per == none {
		return q.peak(run)
	}
	when = math.NaN()
	if q.value {
		most = math.Inf(-1)
	}
	c := q.in(run)
	for row := range c.rows {
		if x := per.share(c.level(row), c.population(row)); x > most {
			most, when = x, q.times[row]
		}
	}
	return most, when
}

// findFor is find, and refuses an outcome per person: it has accrued to the dead as well, and a
// number at a time is for the living. A value is no number of individuals.
func (n *names) findFor(what string, per persons) (*quantity, error) {
	q, err := n.find(what)
	if err == nil && q.outcome && per != none {
		return nil, fmt.Errorf("%s has accrued to all who ever lived, and per person is for those who are alive; "+
			"write incidence(%s) per person, for those alive at the start, or divide by a number", q.name, q.name)
	}
	if err == nil && q.value && per != none {
		return nil, fmt.Errorf("%s is a value, and no number of individuals; leave out per", q.name)
	}
	return q, err
}

// at is how many there are at a time.
func (n *names) at(what, when string, per persons) (number, error) {
	q, err := n.findFor(what, per)
	if err != nil {
		return nil, err
	}
	row, err := n.row(when)
	if err != nil {
		return nil, err
	}
	return func(run *population.Run) float64 {
		c := q.in(run)
		return per.share(c.count(row), c.living(row))
	}, nil
}

// row is the row of a time, which must be one that is recorded: between them nothing is known.
func (n *names) row(when string) (int, error) {
	x, err := n.m.Clock(strings.TrimSpace(when))
	if err != nil {
		return 0, err
	}
	before, after := math.Inf(-1), math.Inf(1)
	for row, t0 := range n.m.Times() {
		if math.Abs(t0-x) <= 1e-9*max(1, math.Abs(x)) {
			return row, nil
		}
		if t0 < x {
			before = t0
		} else {
			after = min(after, t0)
		}
	}
	switch {
	case math.IsInf(before, -1):
		return 0, fmt.Errorf("time %.12g is before the start, %.12g", x, n.m.Start())
	case math.IsInf(after, 1):
		return 0, fmt.Errorf("time %.12g is after the end, %.12g", x, n.m.End())
	}
	return 0, fmt.Errorf("time %.12g is not recorded; the nearest are %.12g and %.12g", x, before, after)
}

// incidence is how many events there were since the start, or between two times. Per person, it is
// for those who lived when that interval began: the cumulative incidence of epidemiology.
func (n *names) incidence(what, group string, per persons) (number, error) {
	from, to := 0, len(n.m.Times())-1
	whole := true
	if x, window, ok := cutLast(what, ","); ok && strings.Contains(window, "..") {
		if _, more := cutGroup(x); more != "" {
			x, group = x[:len(x)-len(more)], more+group
		}
		begin, end, _ := strings.Cut(window, "..")
		if _, unit, _ := strings.Cut(strings.TrimSpace(end), " "); unit != "" && plainNumber(begin) {
			begin += " " + unit // 30..60 days
		}
		var err error
		if from, err = n.row(begin); err == nil {
			to, err = n.row(end)
		}
		switch {
		case err != nil:
			return nil, err
		case from >= to:
			return nil, fmt.Errorf("%s: the second time is not after the first", window)
		}
		what, whole = x, false
	}
	q, err := n.find(what + group)
	switch {
	case err != nil:
		return nil, err
	case !q.events:
		return nil, fmt.Errorf("an incidence is of events, and %s is a number at a time; write final(%s), or a flow or a "+
			"name: %s", q.name, q.name, few(n.events(q.name)))
	}
	return func(run *population.Run) float64 {
		c := q.in(run)
		x := c.count(to)
		if !whole { // by the start, interventions at its time may have happened
			x -= c.count(from)
		}
		return per.share(x, c.living(from))
	}, nil
}

// plainNumber reports whether a text is a number without a unit.
func plainNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(text), "_", ""), 64)
	return err == nil
}

// events lists what an incidence can be of, flows into a state first.
func (n *names) events(state string) (all []string) {
	var others []string
	for _, f := range n.m.Flows() {
		if f.To == state {
			all = append(all, f.String())
		} else {
			others = append(others, f.String())
		}
	}
	return slices.Concat(all, others, n.m.Names())
}

// condition is what stands in the parentheses of first time and last time.
var condition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+) (above|below) ([\d._eE+-]+) ?(%|per ([\d._eE+]+))?((?:,[^,=]+=[^,]+)*)$`)
})

// timeOf is the time of the first or the last row at which there are more, or fewer, than a number
// or than a share of the living.
func (n *names) timeOf(name, what string) (number, error) {
	found := condition().FindStringSubmatch(strings.TrimSpace(what))
	if found == nil {
		return nil, fmt.Errorf("%s(%s): expected above or below a number or a share of the living, as in %s(%s above 100), "+
			"above 1%% or above 50 per 100_000", name, what, name, n.m.States()[0])
	}
	q, err := n.find(found[1] + found[6])
	if err != nil {
		return nil, err
	}
	level, ok := parseNumber(found[3])
	per := none
	switch suffix := found[4]; {
	case suffix == "%":
		per = 100
	case suffix != "":
		all, good := parseNumber(found[5])
		per, ok = persons(all), ok && good && all > 0
	}
	if q.value && per != none {
		return nil, fmt.Errorf("%s is a value, and no number of individuals; compare it with a number", q.name)
	}
	if !ok {
		return nil, fmt.Errorf("%s is no number to compare with", strings.TrimSpace(found[3]+" "+found[4]))
	}
	below := found[2] == "below"
	return func(run *population.Run) float64 {
		c := q.in(run)
		when := math.NaN()
		for row := range c.rows {
			x := per.share(c.level(row), c.population(row))
			if below && x < level || !below && x > level {
				when = q.times[row]
				if name == "first time" {
					break
				}
			}
		}
		return when
	}, nil
}

// parseNumber parses a number, with _ between digits.
func parseNumber(text string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}
