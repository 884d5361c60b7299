package population_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// treatedOutcomes are per person, of a recovery at 0.5 per year within 5 years: with ρ = ln 1.04
// and p = 0.5 + ρ, the time ill is (1 − e^(−5p))/p, discounted.
const treatedOutcomes = `
name: outcomes
time: {unit: year, end: 5}
population: {size: 1000, start: {ill: rest}}
states: {ill: {race: [{rate: 0.5 per year, to: well, name: recovery}]}, well: {}}
outcomes:
  cost: {time: {by: state, ill: 300 per year, other: 0 per year}, events: {%s: 100}, discount: 4%% per year}
  qalys: {time: {by: state, ill: 0.6 per year, well: 1 per year}, discount: 4%% per year}
record: {every: 1 year, time: true}
`

func TestExactOutcomes(t *testing.T) {
	for _, event := range []string{"recovery", "ill->well"} {
		r := exactSimulate(t, 1, 200, treatedOutcomes, event)
		of := func(value func(run *population.Run) float64) []float64 {
			all := make([]float64, len(r.Runs))
			for k := range r.Runs {
				all[k] = value(&r.Runs[k]) / 1000
			}
			return all
		}
		cost := of(func(run *population.Run) float64 { return run.Outcome(5, 0) })
		checkMean(t, "cost", cost, 605.292475)
		checkMean(t, "qalys", of(func(run *population.Run) float64 { return run.Outcome(5, 1) }), 3.848514)
		checkMean(t, "time ill", of(func(run *population.Run) float64 { return run.TimeIn(5, 0) }), 1.835830)
		for k := range r.Runs {
			if sum := r.Runs[k].TimeIn(5, 0) + r.Runs[k].TimeIn(5, 1); math.Abs(sum-5000) > 1e-9 {
				t.Fatalf("replica %d: person-time %v in all, expected 5000", k, sum)
			}
		}
		mean, variance := momentsOf(cost)
		checkNotices(t, "cost without discount", mean, 300*1.835830+100*(1-math.Exp(-2.5)),
			math.Sqrt(variance/float64(len(cost))))
	}
}

// momentsOf are the mean and the variance.
func momentsOf(values []float64) (mean, variance float64) {
	for _, x := range values {
		mean += x / float64(len(values))
	}
	for _, x := range values {
		variance += (x - mean) * (x - mean) / float64(len(values)-1)
	}
	return mean, variance
}

// One person dies at exactly 4 years: 0.2 (1 − 1.03^−3)/ln 1.03 + 30·1.03^−3, whatever the unit of
// the model's clock.
func TestExactOutcomeOfOne(t *testing.T) {
	want := 0.2*(1-math.Pow(1.03, -3))/math.Log(1.03) + 30*math.Pow(1.03, -3)
	for _, clock := range []string{"unit: year, end: 10", "unit: day, end: 3652.5", "unit: year, start: -1, end: 9"} {
		for _, discount := range []string{"3% per year", "rate"} {
			from := "1 year"
			if strings.Contains(clock, "start") {
				from = "0"
			}
			swap := strings.NewReplacer("CLOCK", clock, "DISCOUNT", discount, "FROM", from)
			m, err := population.Compile("one.yaml", []byte(swap.Replace(`
name: one
time: {CLOCK}
population: {size: 1, start: {ill: rest}}
parameters: {rate: 0.03 per year}
states: {ill: {race: [{after: 4 years, to: out, name: death}]}}
outcomes: {dalys: {time: 0.2 per year, events: {death: 30}, discount: DISCOUNT, from: FROM}}
record: {every: 1 year}
`)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Run(t.Context(), population.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Outcome(0).Mean[r.Rows()-1]; math.Abs(got-want) > 1e-12*want || math.Abs(got-28.028416) > 5e-7 {
				t.Errorf("%s, %s: %.12f, expected %.12f", clock, discount, got, want)
			}
			if got := r.Outcome(0).Mean[1]; got != 0 {
				t.Errorf("%s: %v before from, expected 0", clock, got)
			}
		}
	}
}

// TestOutcomesAgreeWithEvents adds up the outcomes of a busy model from its events, one individual
// at a time, and compares: of all, and of each group.
func TestOutcomesAgreeWithEvents(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["outcomes"]))
	if err != nil {
		t.Fatal(err)
	}
	attributes := m.Attributes()
	value := func(values []string, of string) string { return values[slices.Index(attributes, of)] }
	type person struct {
		state  string
		values []string
		since  float64
	}
	type sums = map[string]map[string]float64 // by group, then by outcome
	total := sums{}
	add := func(values []string, outcome string, x float64) {
		keys := []string{""}
		if values != nil {
			keys = append(keys, value(values, "region"), value(values, "care")+","+value(values, "band"))
		}
		for _, key := range keys {
			if total[key] == nil {
				total[key] = map[string]float64{}
			}
			total[key][outcome] += x
		}
	}
	perDay := math.Log1p(0.03) / 365.25
	discount := map[string]func(t float64) float64{ // the integral of the discount
		"cost":        func(t float64) float64 { return -math.Expm1(-perDay*t) / perDay },
		"qalys":       func(t float64) float64 { return -math.Expm1(-math.Log1p(0.002)*max(0, t-3)) / math.Log1p(0.002) },
		"person days": func(t float64) float64 { return t },
	}
	drug, visit := 40.0, 15.0
	weights := func(p *person) map[string]float64 {
		cost := map[string]float64{"ill": 3, "well": -0.5}[p.state]
		if value(p.values, "care") == "treated" {
			cost = drug
		}
		qalys := map[string]float64{"ill": 0.5, "well": 0.9}[p.state]
		if value(p.values, "band") == "child" {
			qalys = 1
		}
		return map[string]float64{"cost": cost, "qalys": qalys / 365.25, "person days": 1}
	}
	people := map[uint64]*person{}
	accrue := func(p *person, now float64) {
		for outcome, w := range weights(p) {
			add(p.values, outcome, w*(discount[outcome](now)-discount[outcome](p.since)))
		}
		add(p.values, "time "+p.state, now-p.since)
		add(p.values, "time care="+value(p.values, "care"), now-p.since)
		p.since = now
	}
	all := func(now float64) {
		for _, p := range people {
			accrue(p, now)
		}
	}
	var rows []sums
	next := 0
	step := func(now float64) { // rows and changes of parameters up to a time
		for ; next <= 12 && float64(next) < now; next++ {
			all(float64(next))
			row := sums{}
			for key, of := range total {
				row[key] = map[string]float64{}
				for outcome, x := range of {
					row[key][outcome] = x
				}
			}
			rows = append(rows, row)
			switch next {
			case 4:
				drug = 25
			case 8:
				drug = 40
			}
		}
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 5, OnEvent: func(e population.Event) {
		step(e.Time)
		v := math.Exp(-perDay * e.Time)
		before := people[e.Individual]
		after := &person{e.To, slices.Clone(e.Values), e.Time}
		switch e.Kind {
		case population.Happened:
			if e.Name == "alarm" {
				add(nil, "cost", 1000*v)
				visit = 5
			}
			return
		case population.Started, population.Entered:
			people[e.Individual] = after
		default:
			accrue(before, e.Time)
			if e.Kind == population.Left || e.Kind == population.Moved {
				after.state = before.state
			}
			if people[e.Individual] = after; e.Kind == population.Left {
				delete(people, e.Individual)
			}
		}
		if e.Kind == population.Started {
			return
		}
		cost, moves := 0.0, 0.0
		care, band := value(e.Values, "care"), value(e.Values, "band")
		switch e.Name {
		case "prescription":
			cost += visit
		case "death":
			cost += map[string]float64{"child": 100, "adult": 70, "elder": 30}[band]
		case "death of treatment":
			cost += map[string]float64{"ill": 1, "well": 2}[before.state]
		case "campaign":
			cost += map[string]float64{"none": 1, "treated": 4}[care]
		case "removal":
			moves += map[string]float64{"north": 1, "south": 11}[value(e.Values, "region")]
		}
		switch {
		case e.Kind == population.Changed && e.From == "well" && e.To == "ill":
			cost += map[string]float64{"north": 2, "south": 3}[value(e.Values, "region")]
		case e.Kind == population.Entered && e.From == "births":
			moves += 7
		}
		if before != nil {
			switch was := value(before.values, "care"); {
			case was == "none" && care == "treated":
				moves++
			case was == "treated" && care == "none":
				moves++
			}
			if value(before.values, "band") == "child" && band == "adult" {
				moves += 3
			}
			if e.Kind == population.Left && care == "treated" {
				moves += 5
			}
		}
		add(e.Values, "cost", cost*v)
		add(e.Values, "moves", moves)
	}})
	if err != nil {
		t.Fatal(err)
	}
	step(math.Inf(1))
	// One who advises another changes too, by an event of the same name: it counts once.
	advice := slices.Index(m.Names(), "advice")
	for row, at := range r.Times {
		for g := -1; g < len(m.Groups()); g++ {
			run, key := &r.Runs[0], ""
			if g >= 0 {
				run, key = run.In(g), m.Groups()[g].String()
			}
			check := func(what string, got, want float64) {
				if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
					t.Fatalf("at %v, %q: %s is %v, expected %v", at, key, what, got, want)
				}
			}
			for o, outcome := range m.Outcomes() {
				want := rows[row][key][outcome]
				if outcome == "moves" {
					want += 13 * float64(run.Named(row, advice))
				}
				check(outcome, run.Outcome(row, o), want)
			}
			for s, state := range m.Counted() {
				check("time "+state, run.TimeIn(row, s), rows[row][key]["time "+state])
			}
		}
	}
	for _, name := range []string{"alarm", "advice", "removal", "campaign", "death of treatment"} {
		if r.Runs[0].Named(12, slices.Index(m.Names(), name)) == 0 {
			t.Errorf("%s never happened", name)
		}
	}
}

// A run with outcomes is the run without, byte for byte in states and flows.
func TestOutcomesChangeNothing(t *testing.T) {
	with := population.Busy["outcomes"]
	from, to := strings.Index(with, "outcomes:\n  cost"), strings.Index(with, "record:")
	without := with[:from] + strings.Replace(with[to:], ", time: true", "", 1)
	counted := func(source string, size int) []byte {
		t.Helper()
		m, err := population.Compile("model.yaml", []byte(source), population.Size(size))
		if err != nil {
			t.Fatal(err)
		}
		groups := len(m.Groups())
		var b bytes.Buffer
		r, err := m.Run(t.Context(), population.Options{Seed: 3, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Runs {
			for row := range r.Times {
				for g := -1; g < groups; g++ {
					run := &r.Runs[i]
					if g >= 0 {
						run = run.In(g)
					}
					for s := range m.Counted() {
						b.WriteString(format(run.Count(row, s)))
					}
					for f := range m.Flows() {
						b.WriteString(format(int(run.Flow(row, f))))
					}
					for n := range m.Names() {
						b.WriteString(format(int(run.Named(row, n))))
					}
				}
			}
		}
		return b.Bytes()
	}
	for _, size := range []int{300, 17_000} { // one by one, and in blocks
		if !bytes.Equal(counted(with, size), counted(without, size)) {
			t.Errorf("with %d individuals, a run with outcomes differs from the run without", size)
		}
	}
	// Without machines and bands the state is an attribute only because an outcome is by it.
	plain := baseModel
	costs := baseModel + "outcomes: {cost: {time: {by: state, infectious: 1 per day, other: 0 per day}}}\n"
	for _, size := range []int{1000, 50_000} {
		if !bytes.Equal(counted(costs, size), counted(plain, size)) {
			t.Errorf("with %d individuals, a run with an outcome by state differs from the run without", size)
		}
	}
}

func format(n int) string {
	return string(rune('0'+n%10)) + string(rune('0'+n/10%10)) + string(rune('0'+n/100%10)) + " "
}

// Outcomes survive being written as bytes, and are the same in one replica as in a process that
// stops on the way and in its forks.
func TestOutcomesOfProcessesAndBytes(t *testing.T) {
	m, err := population.Compile("model.yaml", []byte(population.Busy["outcomes"]))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	data, err := r.Runs[0].MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	read, err := m.ReadRun(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Begin(t.Context(), population.Options{Seed: 9}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for row, at := range r.Times {
		if err := p.Advance(t.Context(), at-0.5*float64(min(row, 1))); err != nil {
			t.Fatal(err)
		}
		if err := p.Advance(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		for o := range m.Outcomes() {
			want := r.Runs[0].Outcome(row, o)
			if got := p.Outcome(o); got != want {
				t.Fatalf("at %v outcome %d is %v in a process, and %v in a run", at, o, got, want)
			}
			if got := read.Outcome(row, o); got != want {
				t.Fatalf("at %v outcome %d is %v once it is read, and was %v", at, o, got, want)
			}
			if got, want := read.In(1).Outcome(row, o), r.Runs[0].In(1).Outcome(row, o); got != want {
				t.Fatalf("at %v outcome %d of a group is %v once it is read, and was %v", at, o, got, want)
			}
		}
		for s := range m.Counted() {
			if got, want := p.TimeIn(s), r.Runs[0].TimeIn(row, s); got != want || read.TimeIn(row, s) != want {
				t.Fatalf("at %v the time in state %d is %v in a process, and %v in a run", at, s, got, want)
			}
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
	}
}
