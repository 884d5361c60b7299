package population

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// What is recorded by group is what the events of everybody add up to, exactly, in each replica and
// row.
func TestRecordedByGroup(t *testing.T) {
	for _, source := range []string{testModel("busy-groups"), testModel("busy-everything")} {
		m := modelFrom(t, source)
		t.Run(m.program.Name, func(t *testing.T) { compareWithEvents(t, m) })
	}
}

func compareWithEvents(t *testing.T, m *Model) {
	type someone struct {
		state  string
		values []string
	}
	groups, attributes := m.Groups(), m.Attributes()
	index := map[string]int{}
	for i, s := range m.program.States {
		index[s] = i
	}
	flowOf := map[string]int{}
	for i, f := range m.program.Flows {
		flowOf[f.String()] = i
	}
	const replicas = 3
	living := make([]map[uint64]someone, replicas)
	sums := make([][]engine.Tally, replicas)
	for i := range sums {
		living[i] = map[uint64]someone{}
		for range groups {
			sums[i] = append(sums[i], engine.Tally{Counts: nil, Flows: make([]uint64, len(m.program.Flows)),
				Named: make([]uint64, len(m.program.CountedNames))})
		}
	}
	// isIn looks at the names, and not at the numbers that the engine makes of them.
	isIn := func(g Group, values []string) bool {
		for i, name := range g.Attributes {
			if values[slices.Index(attributes, name)] != g.Values[i] {
				return false
			}
		}
		return true
	}
	var seen [replicas][][]engine.Tally // by row and group
	o := Options{Seed: 5, Replicas: replicas, Workers: 1}
	o.OnEvent = func(e Event) {
		if e.Kind == Happened { // to nobody
			return
		}
		if e.Kind == Left {
			delete(living[e.Replica], e.Individual)
		} else {
			living[e.Replica][e.Individual] = someone{e.To, e.Values}
		}
		for g := range groups {
			if !isIn(groups[g], e.Values) {
				continue
			}
			if e.Kind == Entered || e.Kind == Changed || e.Kind == Left {
				sums[e.Replica][g].Flows[flowOf[e.From+"->"+e.To]]++
			}
			if e.Name != "" {
				sums[e.Replica][g].Named[slices.Index(m.program.CountedNames, e.Name)]++
			}
		}
	}
	o.OnRecord = func(rec Record) {
		var row []engine.Tally
		for g := range groups {
			now := engine.Tally{Counts: make([]int, len(m.program.States)), Flows: slices.Clone(sums[rec.Replica][g].Flows),
				Named: slices.Clone(sums[rec.Replica][g].Named)}
			for _, one := range living[rec.Replica] {
				if isIn(groups[g], one.values) {
					now.Counts[index[one.state]]++
				}
			}
			row = append(row, now)
		}
		seen[rec.Replica] = append(seen[rec.Replica], row)
	}
	r, err := m.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	moves := uint64(0)
	for i := range r.Runs {
		for row := range r.Runs[i].Rows() {
			for g, group := range groups {
				run, want := r.Runs[i].In(g), seen[i][row][g]
				for s, name := range m.program.States {
					if got := run.Count(row, s); got != want.Counts[s] {
						t.Errorf("replica %d, row %d, %s %v: %d are %s, want %d", i, row, group.By(), group, got, name, want.Counts[s])
					}
				}
				for f := range m.program.Flows {
					if got := run.Flow(row, f); got != want.Flows[f] {
						t.Errorf("replica %d, row %d, %s %v: %d went %v, want %d", i, row, group.By(), group, got, m.program.Flows[f],
							want.Flows[f])
					}
				}
				for k, name := range m.program.CountedNames {
					if got := run.Named(row, k); got != want.Named[k] {
						t.Errorf("replica %d, row %d, %s %v: %s %d times, want %d", i, row, group.By(), group, name, got, want.Named[k])
					}
				}
			}
		}
		moves += r.Runs[i].Named(r.Rows()-1, slices.Index(m.program.CountedNames, "misfortune"))
	}
	if moves == 0 {
		t.Error("nobody changed a state and an attribute at once")
	}
	// Groups of one grouping add up to all.
	last := r.Rows() - 1
	for _, g := range m.program.Groupings {
		total := 0
		for k := range g.Groups {
			total += r.Runs[0].In(g.First + k).Total(last)
		}
		if total != r.Runs[0].Total(last) {
			t.Errorf("groups add up to %d, there are %d", total, r.Runs[0].Total(last))
		}
	}
	for f := range m.program.Flows {
		sum := uint64(0)
		for row := range r.Runs[0].Rows() {
			sum += r.Runs[0].Incidence(row, f)
		}
		if sum != r.Runs[0].Flow(last, f) {
			t.Errorf("%v: the intervals add up to %d, and %d went", m.program.Flows[f], sum, r.Runs[0].Flow(last, f))
		}
	}
	// Those who go at the start itself are in the first interval.
	first := slices.Index(m.program.CountedNames, "first")
	if inc := r.NamedIncidence(first); inc.Mean[0] == 0 || inc.Mean[0] != r.Named(first).Mean[0] || inc.Mean[1] != 0 {
		t.Errorf("incidence of an intervention at the start: %v", inc.Mean)
	}
}

// Recording by group changes nobody's luck, and is not there if nobody asks.
func TestRecordingChangesNothing(t *testing.T) {
	with := modelFrom(t, testModel("busy-groups"))
	without := modelFrom(t, strings.Replace(testModel("busy-groups"),
		", by: [region, age, [age, region]], incidence: true", "", 1))
	a, err := with.Run(context.Background(), Options{Seed: 1, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	b, err := without.Run(context.Background(), Options{Seed: 1, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Runs {
		if !reflect.DeepEqual(a.Runs[i].rec.All, b.Runs[i].rec.All) || a.Runs[i].Events != b.Runs[i].Events {
			t.Errorf("replica %d is another", i)
		}
	}
}

// The JSON has all that was asked for, with states, flows and groups in the order of the file.
func TestRecordedJSON(t *testing.T) {
	m := modelFrom(t, testModel("busy-groups"))
	r, err := m.Run(context.Background(), Options{Seed: 2, Replicas: 21})
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.MarshalJSON() // json.Marshal would write a->b in another way
	if err != nil {
		t.Fatal(err)
	}
	order := func(names ...string) {
		t.Helper()
		at := 0
		for _, name := range names {
			k := strings.Index(string(text[at:]), name)
			if k < 0 {
				t.Fatalf("%s is not there, or not after what comes before it", name)
			}
			at += k
		}
	}
	order(`"version":"`, `"parameters":{"speed":"0.6 per day","stay":"{gamma: {mean: 3 days, shape: 2}}"}`,
		`"states":{"well":`, `"ill":`, `"away":`, `"total":`,
		`"flows":{"well->ill":`, `"named":`, `"incidence":`, `"named_incidence":`,
		`"by":{"region":{"north":{"states":{"well":`, `"south":{`, `"west":{`, `"age":{"young":`,
		`"age,region":{"young,north":{`)
	type counts struct {
		States, Flows, Named, Incidence map[string]Series
		Total                           Series
	}
	var out struct {
		counts
		By map[string]map[string]counts
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	for g, group := range m.Groups() {
		got := out.By[group.By()][group.String()]
		want := r.In(g)
		for i, f := range m.program.Flows {
			if !slices.Equal(got.Flows[f.String()].Q95, want.Flow(i).Q95) || !slices.Equal(got.Incidence[f.String()].Mean,
				want.Incidence(i).Mean) {
				t.Errorf("%v of %v is another", f, group)
			}
		}
		if !slices.Equal(got.Total.Median, want.Total().Median) {
			t.Errorf("the total of %v is another", group)
		}
	}
	// Of 21 replicas the quantiles are the 2nd, the 6th, the 16th and the 20th.
	for row := range r.Rows() {
		var all []float64
		for i := range r.Runs {
			all = append(all, float64(r.Runs[i].Count(row, 0)))
		}
		slices.Sort(all)
		s := out.States["well"]
		if got := []float64{s.Min[row], s.Q05[row], s.Q25[row], s.Median[row], s.Q75[row], s.Q95[row],
			s.Max[row]}; !slices.Equal(got, []float64{all[0], all[1], all[5], all[10], all[15], all[19], all[20]}) {
			t.Errorf("row %d: %v of %v", row, got, all)
		}
	}
}

// RecordBy counts by more attributes, and changes nothing else.
func TestRecordBy(t *testing.T) {
	const text = `
name: by
time: {unit: day, end: 20}
population: {size: 500, start: {ill: 20, well: rest}}
attributes: {region: {north: 40%, south: 60%}, age: {child: 30%, adult: 70%}}
states: {well: {}, ill: {race: [{after: 4 days, to: immune}]}, immune: {}}
transmission: [{from: ill, rate: 0.5 per day, to: {well: ill}}]
record: {every: 1 day, by: [region]}
`
	run := func(changes ...Change) *Result {
		t.Helper()
		m, err := Compile("by.yaml", []byte(text), changes...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Run(t.Context(), Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := run()
	more := run(RecordBy("region"), RecordBy("age", "region"))
	if n, m := len(plain.Model.Groups()), len(more.Model.Groups()); n != 2 || m != 6 {
		t.Fatalf("%d and %d groups", n, m)
	}
	for row := range plain.Times {
		for state := range plain.Model.States() {
			a, b := &plain.Runs[0], &more.Runs[0]
			sum := 0
			for g := 2; g < 6; g++ {
				sum += b.In(g).Count(row, state)
			}
			if a.Count(row, state) != b.Count(row, state) || sum != a.Count(row, state) ||
				a.In(0).Count(row, state) != b.In(0).Count(row, state) {
				t.Fatalf("row %d, state %d: %d, %d, %d", row, state, a.Count(row, state), b.Count(row, state), sum)
			}
		}
	}
	if _, err := Compile("by.yaml", []byte(text), RecordBy("sex")); err == nil ||
		!strings.Contains(err.Error(), `--output: record: by: there is no attribute "sex"`) {
		t.Error(err)
	}
}

// No event is after the row that counts it, and none that a row does not count is before it, though
// the time of a row is written without the rounding error of 5 + 7/12.
func TestEventsAndRows(t *testing.T) {
	m := modelFrom(t, `
name: months
time: {unit: year, start: 0, end: 20}
population: {size: 2000, start: {a: rest}}
states: {a: {race: [{rate: 0.1 per year, to: out, name: death}]}}
births: {rate: 0.1 per year, enter: a, name: birth}
interventions: [{at: 5 years, every: 1 month, who: everyone, count: 3, to: out, name: catch}]
record: {every: 1 month, people: true}
`)
	times := map[string][]float64{}
	gone := 0
	result, err := m.Run(t.Context(), Options{Seed: 1,
		OnEvent: func(e Event) { times[e.Name] = append(times[e.Name], e.Time) },
		OnPerson: func(p Person) {
			if gone < len(times["catch"])+len(times["death"]) && !math.IsNaN(p.Left) {
				gone++
				if !slices.Contains(times["catch"], p.Left) && !slices.Contains(times["death"], p.Left) {
					t.Errorf("somebody left at %v, when nothing happened", p.Left)
				}
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	run := &result.Runs[0]
	for row, at := range result.Times {
		for i, name := range m.Names() {
			n := uint64(0)
			for _, when := range times[name] {
				if when <= at {
					n++
				}
			}
			if run.Named(row, i) != n {
				t.Errorf("by %v %d of %s are counted, and %d are not later", at, run.Named(row, i), name, n)
			}
		}
	}
	if gone == 0 {
		t.Error("nobody left")
	}
}
