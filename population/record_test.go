package population

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Everything that can change who is where, or in which group: clocks, contacts, births, arrivals, departures, moves by themselves and with a
// change of state, and interventions of all sorts.
const busyGroups = `
name: busy
time: {unit: day, end: 12}
population: {size: 300, start: {ill: 30, well: rest}}
parameters: {speed: 0.6 per day, stay: {gamma: {mean: 3 days, shape: 2}}}
attributes:
  region: {north: 40%, south: 35%, west: 25%}
  age: {young: 60%, old: 40%}
states:
  well: {race: [{rate: 0.05 per day, to: away}]}
  ill: {race: [{after: stay, to: well, name: recovery}, {rate: 0.03 per day, to: out, name: death}]}
  away: {race: [{rate: 0.5 per day, to: well}]}
always:
  - {rate: 0.1 per day, move: {region: south}, name: going south}
  - {rate: 0.05 per day, move: {region: north, age: old}, to: ill, from: well, name: misfortune}
  - {rate: 0.02 per day, move: {age: old}}
births: {rate: 0.05 per day, enter: well, name: birth}
immigration: {rate: 9 per day, enter: ill}
transmission: [{from: ill, rate: speed, to: {well: ill}, name: infection}]
interventions:
  - {at: 0, who: well, coverage: 5%, to: away, name: first}
  - {at: 4, who: everyone, where: {region: south}, coverage: 30%, move: {region: west}, name: resettling}
  - {at: 6, who: ill, coverage: 20%, to: out}
  - {at: 7, enter: ill, count: 20, name: guests}
record: {every: 2 days, by: [region, age, [age, region]], incidence: true}
`

// The ways in which values, time and counts decide: groups at the start, rates by group that a move changes, contacts that change who makes
// them, children with the values of their parents, and interventions that pick or wait.
const busyEverything = `
name: everything
time: {unit: day, end: 12}
population:
  size: 300
  groups:
    - {share: 40%, with: {region: north}, start: {ill: 20, well: rest}}
    - {share: 60%, with: {region: south}, start: {ill: {count: 10, since: {uniform: {low: 0 days, high: 2 days}}}, well: rest}}
parameters: {speed: {by: age, young: 0.9 per day, old: 0.3 per day}, stay: {gamma: {mean: 3 days, shape: 2}}, season: {seasonal: {mean: 0.2 per day, amplitude: 50%, peak: 2 days, period: 8 days}}}
attributes:
  region: {north: 40%, south: 35%, west: 25%}
  age: {young: 60%, old: 40%}
states:
  well: {race: [{rate: season, to: away, where: {region: [north, west]}}]}
  ill: {race: [{after: stay, to: well, name: recovery}, {rate: {by: age, young: 0.01 per day, old: 0.1 per day}, to: out, name: death}]}
  away: {race: [{rate: 0.5 per day, to: well}]}
always:
  - {rate: 0.1 per day, move: {region: south}, name: going south}
  - {rate: 0.1 per day, move: {age: old}, to: ill, from: well, name: misfortune}
  - {rate: {value: 0.0002 per day * total, most: 0.2 per day}, move: {region: west}}
births: {rate: {value: 0.1 per day * (1 - total / 1000), most: 0.1 per day}, enter: {well: 80%, ill: rest}, inherit: [region], name: birth}
immigration: {rate: 9 per day, enter: ill, with: {region: west}}
transmission:
  - {from: ill, rate: speed, to: {well: ill}, name: infection}
  - {from: well, rate: 0.2 per day, to: {ill: same}, self: ill, whom: {age: young}, name: caught}
interventions:
  - {at: 0, who: well, coverage: 5%, to: away, name: first}
  - {every: 2 days, who: well, count: 7, to: away, name: doses}
  - {when: {ill: above 15%}, again: true, who: ill, count: 10, to: well, move: {region: north}, name: alarm}
  - {at: 7, enter: ill, count: 20, name: guests}
record: {every: 2 days, by: [region, age, [age, region]], incidence: true}
`

// What is recorded by group is what the events of everybody add up to, exactly, in each replica and row.
func TestRecordedByGroup(t *testing.T) {
	for _, source := range []string{busyGroups, busyEverything} {
		m := compiled(t, source)
		t.Run(m.name, func(t *testing.T) { compareWithEvents(t, m) })
	}
}

func compareWithEvents(t *testing.T, m *Model) {
	type someone struct {
		state  string
		values []string
	}
	index := map[string]int{}
	for i, s := range m.states {
		index[s] = i
	}
	flowOf := map[string]int{}
	for i, f := range m.flows {
		flowOf[f.String()] = i
	}
	const replicas = 3
	living := make([]map[uint64]someone, replicas)
	sums := make([][]tally, replicas)
	for i := range sums {
		living[i] = map[uint64]someone{}
		for range m.groups {
			sums[i] = append(sums[i], tally{nil, make([]uint64, len(m.flows)), make([]uint64, len(m.names))})
		}
	}
	// isIn looks at the names, and not at the numbers that the engine makes of them.
	isIn := func(g Group, values []string) bool {
		for i, name := range g.Attributes {
			if values[slices.Index(m.Attributes(), name)] != g.Values[i] {
				return false
			}
		}
		return true
	}
	var seen [replicas][][]tally // by row and group
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
		for g := range m.groups {
			if !isIn(m.groups[g], e.Values) {
				continue
			}
			if e.Kind == Entered || e.Kind == Changed || e.Kind == Left {
				sums[e.Replica][g].flows[flowOf[e.From+"->"+e.To]]++
			}
			if e.Name != "" {
				sums[e.Replica][g].named[slices.Index(m.names, e.Name)]++
			}
		}
	}
	o.OnRecord = func(rec Record) {
		var row []tally
		for g := range m.groups {
			now := tally{make([]int, len(m.states)), slices.Clone(sums[rec.Replica][g].flows), slices.Clone(sums[rec.Replica][g].named)}
			for _, one := range living[rec.Replica] {
				if isIn(m.groups[g], one.values) {
					now.counts[index[one.state]]++
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
			for g, group := range m.groups {
				run, want := r.Runs[i].In(g), seen[i][row][g]
				for s, name := range m.states {
					if got := run.Count(row, s); got != want.counts[s] {
						t.Errorf("replica %d, row %d, %s %v: %d are %s, want %d", i, row, group.By(), group, got, name, want.counts[s])
					}
				}
				for f := range m.flows {
					if got := run.Flow(row, f); got != want.flows[f] {
						t.Errorf("replica %d, row %d, %s %v: %d went %v, want %d", i, row, group.By(), group, got, m.flows[f], want.flows[f])
					}
				}
				for k, name := range m.names {
					if got := run.Named(row, k); got != want.named[k] {
						t.Errorf("replica %d, row %d, %s %v: %s %d times, want %d", i, row, group.By(), group, name, got, want.named[k])
					}
				}
			}
		}
		moves += r.Runs[i].Named(r.Rows()-1, slices.Index(m.names, "misfortune"))
	}
	if moves == 0 {
		t.Error("nobody changed a state and an attribute at once")
	}
	// Groups of one grouping add up to all.
	last := r.Rows() - 1
	for _, g := range m.groupings {
		total := 0
		for k := range g.groups {
			total += r.Runs[0].In(g.first + k).Total(last)
		}
		if total != r.Runs[0].Total(last) {
			t.Errorf("groups add up to %d, there are %d", total, r.Runs[0].Total(last))
		}
	}
	for f := range m.flows {
		sum := uint64(0)
		for row := range r.Runs[0].Rows() {
			sum += r.Runs[0].Incidence(row, f)
		}
		if sum != r.Runs[0].Flow(last, f) {
			t.Errorf("%v: the intervals add up to %d, and %d went", m.flows[f], sum, r.Runs[0].Flow(last, f))
		}
	}
	// Those who go at the start itself are in the first interval.
	first := slices.Index(m.names, "first")
	if inc := r.NamedIncidence(first); inc.Mean[0] == 0 || inc.Mean[0] != r.Named(first).Mean[0] || inc.Mean[1] != 0 {
		t.Errorf("incidence of an intervention at the start: %v", inc.Mean)
	}
}

// Recording by group changes nobody's luck, and is not there if nobody asks.
func TestRecordingChangesNothing(t *testing.T) {
	with := compiled(t, busyGroups)
	without := compiled(t, strings.Replace(busyGroups, ", by: [region, age, [age, region]], incidence: true", "", 1))
	if newTallies(without) != nil {
		t.Error("there are tallies without by")
	}
	a, err := with.Run(context.Background(), Options{Seed: 1, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	b, err := without.Run(context.Background(), Options{Seed: 1, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Runs {
		if !slices.Equal(a.Runs[i].counts, b.Runs[i].counts) || !slices.Equal(a.Runs[i].flows, b.Runs[i].flows) || a.Runs[i].Events != b.Runs[i].Events {
			t.Errorf("replica %d is another", i)
		}
	}
}

// What is recorded takes as much as is said beforehand.
func TestRecordedMemory(t *testing.T) {
	m := compiled(t, busyGroups)
	run := newRun(m, 0)
	bytes := func(t tallied) float64 { return float64(4*cap(t.counts) + 8*cap(t.flows) + 8*cap(t.named)) }
	got := bytes(run.tallied)
	for _, g := range run.groups {
		got += bytes(g)
	}
	if want := m.recordedBytes() * float64(len(m.rows)); got != want {
		t.Errorf("%g bytes, estimated as %g", got, want)
	}
	without := compiled(t, strings.Replace(busyGroups, "by: [region, age, [age, region]], ", "", 1))
	o := Options{Replicas: 1000}
	a, b := m.demand(&o), without.demand(&o)
	if groups := 3 + 2 + 6.0; a.recorded-1000*512 != (b.recorded-1000*512)*(1+groups) || !(a.fixed > b.fixed) {
		t.Errorf("%g and %g bytes are recorded in a thousand replicas with and without %g groups", a.recorded, b.recorded, groups)
	}
	r := replica{rule: usualAside}
	if err := r.start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	held := 0.0
	for _, g := range r.by.groups {
		held += float64(8*(cap(g.counts)+cap(g.flows)+cap(g.named)) + 72)
	}
	if held != m.tallyBytes() {
		t.Errorf("tallies take %g bytes, estimated as %g", held, m.tallyBytes())
	}
}

// The JSON has all that was asked for, with states, flows and groups in the order of the file.
func TestRecordedJSON(t *testing.T) {
	m := compiled(t, busyGroups)
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
	order(`"version":"`, `"parameters":{"speed":"0.6 per day","stay":"{gamma: {mean: 3 days, shape: 2}}"}`, `"states":{"well":`, `"ill":`, `"away":`, `"total":`,
		`"flows":{"well->ill":`, `"named":`, `"incidence":`, `"named_incidence":`, `"by":{"region":{"north":{"states":{"well":`, `"south":{`, `"west":{`, `"age":{"young":`, `"age,region":{"young,north":{`)
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
	for g, group := range m.groups {
		got := out.By[group.By()][group.String()]
		want := r.In(g)
		for i, f := range m.flows {
			if !slices.Equal(got.Flows[f.String()].Q95, want.Flow(i).Q95) || !slices.Equal(got.Incidence[f.String()].Mean, want.Incidence(i).Mean) {
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
		if got := []float64{s.Min[row], s.Q05[row], s.Q25[row], s.Median[row], s.Q75[row], s.Q95[row], s.Max[row]}; !slices.Equal(got, []float64{all[0], all[1], all[5], all[10], all[15], all[19], all[20]}) {
			t.Errorf("row %d: %v of %v", row, got, all)
		}
	}
}
