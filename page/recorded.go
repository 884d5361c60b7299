package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// recorded is what only some models record, of a run or of a directory.
type recorded struct {
	observed []named[results.ObservedCounts]
	supplies []named[population.SupplySeries]
	waiting  []named[population.Series]
	places   []named[population.PlaceSeries]
	networks []named[population.NetworkSeries]
	values   []named[population.Series]
	tree     *results.Tree
}

// named is something with a name.
type named[T any] struct {
	name string
	of   T
}

func allNamed[T any](names []string, of func(i int) T) (all []named[T]) {
	for i, name := range names {
		all = append(all, named[T]{name, of(i)})
	}
	return all
}

// recordedSoFar is what a run has recorded that can be looked at ten times a second.
func recordedSoFar(r *population.Result) recorded {
	m := r.Model
	return recorded{
		observed: allNamed(m.Observations(), func(i int) results.ObservedCounts {
			o := results.ObservedCounts{Seen: r.Seen(i)}
			if m.RecordsIncidence() {
				incidence := r.SeenIncidence(i)
				o.Incidence = &incidence
			}
			if m.IsSurvey(i) {
				tested, expected := r.Tested(i), r.Expected(i)
				o.Tested, o.Expected = &tested, &expected
			}
			return o
		}),
		supplies: allNamed(m.Supplies(), r.Supply),
		waiting:  allNamed(m.Queues(), r.Waiting),
	}
}

// recordedBy is what a run that is over has recorded.
func recordedBy(r *population.Result) recorded {
	x, m := recordedSoFar(r), r.Model
	x.places = allNamed(m.Places(), r.Places)
	x.networks = allNamed(m.Networks(), r.Network)
	x.values = allNamed(m.Values(), r.Value)
	if t := r.Tree(); t != nil { // as summary.json has it
		if text, err := json.Marshal(t); err == nil {
			x.tree = new(results.Tree)
			err = json.Unmarshal(text, x.tree)
			if err != nil {
				panic("page: " + err.Error())
			}
		}
	}
	return x
}

// recorded is what the directory of a run has.
func (sum summary) recorded() recorded {
	return recorded{observed: inOrder(sum.Observed), supplies: inOrder(sum.Supplies), waiting: inOrder(sum.Queues),
		places: inOrder(sum.Places), networks: inOrder(sum.Networks), tree: sum.Tree}
}

func inOrder[T any](in results.Ordered[T]) (all []named[T]) {
	for name, of := range in.All() {
		all = append(all, named[T]{name, of})
	}
	return all
}

// figures are charts over time. base is a chart without lines, and line makes one, or reports
// false.
func (x recorded) figures(base plot.Chart, line func(name string, in population.Series, steps bool) (plot.Series, bool),
) (all []figure.Figure) {
	// chart adds a chart of the lines that are drawn, unless none ever changes.
	chart := func(id, caption, label string, lines []named[population.Series], steps bool) {
		f := figure.Figure{ID: id, Caption: caption, Chart: base}
		changes := false
		for i, one := range lines {
			if i == figure.MaxLines {
				f.Chart.Note = fmt.Sprintf("the first %d of %d; %s", i, len(lines), f.Chart.Note)
				break
			}
			if s, ok := line(one.name, one.of, steps); ok {
				f.Chart.Series = append(f.Chart.Series, s)
				changes = changes || !constant(one.of)
			}
		}
		if f.Chart.YLabel = label; changes {
			all = append(all, f)
		}
	}
	caption, steps := "Seen in each interval", true
	if len(x.observed) > 0 && x.observed[0].of.Incidence == nil {
		caption, steps = "Seen since the start", false
	}
	chart("observed", caption, "seen", eachNamed(x.observed, func(o results.ObservedCounts) population.Series {
		if steps && o.Incidence != nil { // other programs may write some only
			return *o.Incidence
		}
		return o.Seen
	}), steps)
	chart("supplies", "Supplies: how much is left", "left", eachNamed(x.supplies,
		func(s population.SupplySeries) population.Series { return s.Left }), false)
	chart("places", "Individuals in places of each kind", "individuals", eachNamed(x.places,
		func(p population.PlaceSeries) population.Series { return p.Members }), false)
	chart("waiting", "Individuals that wait in turn", "individuals", x.waiting, false)
	chart("networks", "Links in each network", "links", eachNamed(x.networks,
		func(n population.NetworkSeries) population.Series { return n.Links }), false)
	for i, one := range x.values {
		if i < figure.MaxLines {
			chart(fmt.Sprintf("value-%d", i), one.name, one.name, []named[population.Series]{one}, false)
		}
	}
	return all
}

func eachNamed[T any](all []named[T], of func(T) population.Series) (some []named[population.Series]) {
	for _, one := range all {
		some = append(some, named[population.Series]{one.name, of(one.of)})
	}
	return some
}

// constant reports whether a series is the same number in all replicas, at all times.
func constant(in population.Series) bool {
	for row := range in.Min {
		if in.Min[row] != in.Min[0] || in.Max[row] != in.Min[0] {
			return false
		}
	}
	return true
}

// reproduction is the chart of how many were infected by each, over time; nil if there is no tree.
func (x recorded) reproduction(base plot.Chart, replicas int) []figure.Figure {
	if x.tree == nil || len(x.tree.Chains) == 0 || len(x.tree.Reproduction.Times) != len(x.tree.Reproduction.Mean) {
		return nil
	}
	means := make([]float64, len(x.tree.Reproduction.Mean))
	for row, mean := range x.tree.Reproduction.Mean {
		if means[row] = math.NaN(); mean != nil {
			means[row] = *mean
		}
	}
	return []figure.Figure{{ID: "reproduction", Caption: "Reproduction number by cohort",
		Group: infectedGroup, Chart: pictures.ReproductionOf(base, x.tree.Reproduction.Times, means, replicas)}}
}

// infectedGroup is the heading of charts of trees.
const infectedGroup = "Who infected whom"

// tables have the end of a run, at a row. Numbers are means over the replicas.
func (x recorded) tables(last int) (all []figure.Table) {
	at := func(in population.Series) string {
		if last >= len(in.Mean) || math.IsNaN(in.Mean[last]) {
			return "–"
		}
		return figure.Short(in.Mean[last])
	}
	add := func(caption string, head []string, n int, row func(i int) []string) {
		t := figure.Table{Caption: caption, Head: head}
		for i := range n {
			t.Rows = append(t.Rows, row(i))
		}
		if n > 0 {
			all = append(all, t)
		}
	}
	add("Seen since the start", []string{"observation", "seen", "tested", "expected to be positive"}, len(x.observed),
		func(i int) []string {
			o := &x.observed[i].of
			row := []string{x.observed[i].name, at(o.Seen), "", ""}
			if o.Tested != nil && o.Expected != nil {
				row[2], row[3] = at(*o.Tested), at(*o.Expected)
			}
			return row
		})
	add("Supplies", []string{"supply", "left", "used", "lost", "refused"}, len(x.supplies), func(i int) []string {
		s := &x.supplies[i].of
		return []string{x.supplies[i].name, at(s.Left), at(s.Used), at(s.Lost), at(s.Refused)}
	})
	add("Places", []string{"kind", "number", "individuals in them", "turned away since the start"}, len(x.places),
		func(i int) []string {
			p := &x.places[i].of
			return []string{x.places[i].name, at(p.Number), at(p.Members), at(p.TurnedAway)}
		})
	add("Waiting in turn", []string{"for", "individuals"}, len(x.waiting), func(i int) []string {
		return []string{x.waiting[i].name, at(x.waiting[i].of)}
	})
	add("Networks", []string{"network", "links", "formed since the start", "ended since the start"}, len(x.networks),
		func(i int) []string {
			n := &x.networks[i].of
			return []string{x.networks[i].name, at(n.Links), at(n.Formed), at(n.Ended)}
		})
	add("Values", []string{"value", "at the end"}, len(x.values), func(i int) []string {
		return []string{x.values[i].name, at(x.values[i].of)}
	})
	if x.tree != nil && len(x.tree.Chains) > 0 {
		all = append(all, treeTables(x.tree)...)
	}
	return all
}

// treeTables are what is known of who infected whom in all replicas.
func treeTables(t *results.Tree) []figure.Table {
	number := func(x *float64) string {
		if x == nil {
			return "–"
		}
		return fmt.Sprintf("%.4g", *x)
	}
	g := &t.GenerationTime
	generations := figure.Table{Caption: "Generation times: from an infection to those by the same individual",
		Head: []string{"infections", "mean", "sd", "5 %", "median", "95 %"}, Rows: [][]string{{
			format.Thousands(float64(g.N)), number(g.Mean), number(g.SD), number(g.Q05), number(g.Median), number(g.Q95)}}}
	const most = 10 // from here on in one row
	offspring := figure.Table{Caption: "How many each has infected", Head: []string{"infected by it", "share"}}
	rest := 0.0
	for _, k := range slices.Sorted(maps.Keys(t.Offspring)) {
		if k >= most {
			rest += t.Offspring[k]
			continue
		}
		offspring.Rows = append(offspring.Rows, []string{fmt.Sprint(k), percent(t.Offspring[k])})
	}
	if rest > 0 {
		offspring.Rows = append(offspring.Rows, []string{fmt.Sprintf("%d or more", most), percent(rest)})
	}
	trees := figure.Table{Caption: "Trees, by how many infections they have", Head: []string{"infections", "trees"}}
	sizes := map[int]uint64{} // by powers of two: up to 1, 2, 4, 8
	for size, n := range t.Chains {
		sizes[bits.Len(uint(max(size, 1)-1))] += n
	}
	for _, k := range slices.Sorted(maps.Keys(sizes)) {
		name := format.Thousands(float64(int(1) << k))
		if k > 1 {
			name = format.Thousands(float64(int(1)<<(k-1)+1)) + " to " + name
		}
		trees.Rows = append(trees.Rows, []string{name, format.Thousands(float64(sizes[k]))})
	}
	return []figure.Table{generations, offspring, trees}
}

// percent formats a share.
func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
