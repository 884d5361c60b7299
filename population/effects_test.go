package population_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// An executor is a part of a model that makes something happen to individuals, with a place for
// what it does: what becomes of somebody ("to"), and what else stands beside it.
type executor struct {
	name, section string // the section of the model that the text is in
	text          string
	machine       bool // what becomes of somebody is a state of the machine care
	ofMaker       bool // a contact whose maker changes: it cannot wait in a queue
	noSupply      bool // it has no key uses
}

// The executors: in each text, TO is what becomes of somebody in the state well, or of a machine in
// the state none, and MORE is what stands beside it. Without TO they stay in their state.
var executors = []executor{
	{name: "rate", section: "well", text: "race: [{rate: 1 per day, where: {habit: a}, to: TO, MORE}]"},
	{name: "exponential", section: "well", text: "race: [{after: {exponential: {mean: 1 day}}, to: TO, MORE}]"},
	{name: "timer", section: "well", text: "race: [{after: 2 days, where: {habit: a}, to: TO, MORE}]"},
	{name: "split", section: "well", text: "split: [{chance: 50%, after: 1 day, to: TO, MORE}, {otherwise: true, rate: 1 per day, to: TO, MORE}]"},
	{name: "always rate", section: "always", text: "[{rate: 1 per day, from: well, where: {habit: a}, to: TO, MORE}]"},
	{name: "always timer", section: "always", text: "[{after: {uniform: {low: 1 day, high: 3 days}}, where: {habit: a}, from: well, to: TO, MORE}]"},
	{name: "contact", section: "transmission", text: "[{from: ill, rate: 3 per day, whom: {habit: a}, to: {well: TO}, MORE}]"},
	{name: "contact of the maker", section: "transmission", text: "[{from: well, rate: 3 per day, to: {ill: same}, self: TO, MORE}]", ofMaker: true},
	{name: "call", section: "tracing", text: "[{when: sign, through: {meeting: 100%}, back: 1 day, whom: {habit: a}, to: {well: TO}, MORE}]"},
	{name: "late call", section: "tracing", text: "[{when: sign, through: {meeting: 100%}, back: 1 day, after: 1 day, to: {well: TO}, MORE}]"},
	{name: "intervention", section: "interventions", text: "[{at: 1 day, every: 1 day, who: well, where: {habit: a}, to: TO, MORE}]", noSupply: true},
	{name: "condition", section: "interventions", text: "[{when: {well: above 3}, who: well, to: TO, MORE}]", noSupply: true},
	{name: "rate of who stays", section: "well", text: "race: [{rate: 1 per day, MORE}]"},
	{name: "contact with all", section: "transmission", text: "[{rate: 1 per day, whom: {state: well}, MORE}]"},
	{name: "call to who stays", section: "tracing", text: "[{when: sign, through: {meeting: 100%}, back: 1 day, to: {well: same}, MORE}]"},
	{name: "intervention on who stays", section: "interventions", noSupply: true, text: "[{at: 1 day, every: 1 day, who: well, MORE}]"},

	{name: "rate of a machine", section: "none", machine: true, text: "race: [{rate: 1 per day, where: {habit: a}, to: TO, MORE}]"},
	{name: "timer of a machine", section: "none", machine: true, text: "race: [{after: 2 days, where: {habit: a}, to: TO, MORE}]"},
	{name: "split of a machine", section: "none", machine: true, text: "split: [{chance: 50%, after: 1 day, to: TO, MORE}, {otherwise: true, rate: 1 per day, to: TO, MORE}]"},
	{name: "contact of a machine", section: "transmission", machine: true, text: "[{machine: care, from: [line, none], rate: 3 per day, whom: {habit: a}, to: {none: TO}, MORE}]"},
	{name: "contact of a machine's maker", section: "transmission", machine: true, ofMaker: true, text: "[{machine: care, from: none, rate: 3 per day, to: {none: same, line: same}, self: TO, MORE}]"},
	{name: "rate of a machine that stays", section: "none", machine: true, text: "race: [{rate: 1 per day, MORE}]"},
	{name: "contact of any machine", section: "transmission", machine: true, text: "[{machine: care, rate: 1 per day, MORE}]"},
	{name: "call to a machine that stays", section: "tracing", machine: true, text: "[{when: sign, through: {meeting: 100%}, back: 1 day, machine: care, to: {none: same}, MORE}]"},
	{name: "call of a machine", section: "tracing", machine: true, text: "[{when: sign, through: {meeting: 100%}, back: 1 day, machine: care, to: {none: TO}, MORE}]"},
}

// model is a model with what an executor does: to is a state, or out, and more what stands beside.
// While somebody waits, habit changes.
func (e *executor) model(to, more string) string {
	sections := map[string]string{"always": "[{rate: 0.1 per day, move: {household: new}, name: sign}]"}
	text := strings.NewReplacer("TO", to, ", MORE", more).Replace(e.text)
	if e.section == "always" {
		text = strings.TrimSuffix(text, "]") + ", " + strings.TrimPrefix(sections["always"], "[")
	}
	sections[e.section] = text
	contacts := "[{from: ill, rate: 1 per day, to: {ill: ill}, name: meeting}, {from: well, rate: 1 per day, to: {ill: ill}, name: meeting}"
	if own := sections["transmission"]; own != "" {
		contacts += ", " + strings.TrimPrefix(own, "[")
	} else {
		contacts += "]"
	}
	model := `
name: effects
time: {unit: day, end: 12}
population: {size: 60, start: {ill: 20, well: rest}}
attributes: {region: {north: 60%, south: 40%}}
supplies: {doses: {at: 2.5 days, every: 1 day, count: 4}, none: {at: 20 days, count: 1}}
places:
  household: {size: 4, join: new}
  ward: {number: 1, capacity: 5, where: {state: bed}}
  cot: {number: 1, capacity: 5, where: {care: bed}}
machines:
  habit:
    start: {a: rest}
    states: {a: {race: [{rate: 0.5 per day, to: b}]}, b: {race: [{after: 1 day, to: a}]}, c: {}}
  care:
    start: {none: rest}
    states: {none: {` + sections["none"] + `}, line: {}, got: {}, bed: {race: [{after: 1 day, to: got}]}}
states:
  well: {` + sections["well"] + `}
  ill: {}
  line: {}
  got: {}
  bed: {race: [{after: 1 day, to: got}]}
transmission: ` + contacts + `
always: ` + sections["always"] + "\n"
	for _, s := range []string{"tracing", "interventions"} {
		if sections[s] != "" {
			model += s + ": " + sections[s] + "\n"
		}
	}
	return model + "record: {every: 1 day}\n"
}

// Every individual that comes to a state, or leaves it, is in a flow: whatever makes it go, whether
// at once or after its turn in a queue, and although it has changed while it waited. So the flows of
// a state and of a machine add up to how many are in it.
func TestEveryWayIsAFlow(t *testing.T) {
	targets := testscale.Size([]string{"bed", "out"}, []string{"bed", "out", "got", "well"})
	const move = ", move: {habit: {a: 50%, c: rest}, region: south, household: new}"
	refusals := testscale.Size(
		[]string{"", ", uses: doses, full: line, queue: true", ", full: line, queue: true"},
		[]string{"", ", uses: doses, full: line, queue: true", ", full: line, queue: true", ", uses: doses", ", uses: doses, full: out"},
	)
	waited := map[string]bool{}
	for i := range executors {
		e := &executors[i]
		for _, to := range targets {
			stays := !strings.Contains(e.text, "TO")
			switch {
			case stays && to != "bed" && to != "got":
				continue
			case to == "well" && e.machine:
				to = "none"
			}
			moves := []string{"", move}
			if stays {
				moves = []string{", move: {habit: c, care: " + to + "}"}
			}
			for _, move := range moves {
				for _, how := range refusals {
					switch {
					case e.noSupply && strings.Contains(how, "uses"):
					case e.ofMaker && strings.Contains(how, "queue"):
					default:
						flowsAddUp(t, fmt.Sprintf("%s: to: %s%s%s", e.name, to, move, how), e.model(to, move+how), waited)
					}
				}
			}
		}
	}
	for i := range executors {
		if e := &executors[i]; !e.ofMaker && !waited[e.name] {
			t.Errorf("%s: nobody has waited", e.name)
		}
	}
}

// flowsAddUp runs a model, and compares counts with flows at each of its rows. It notes whose
// individuals have waited and were served.
func flowsAddUp(t *testing.T, name, text string, waited map[string]bool) {
	t.Helper()
	m, err := population.Compile("effects.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: %v", name, p)
		}
	}()
	started := make([]int, len(m.Counted()))
	begin := func(e population.Event) {
		if e.Kind == population.Started {
			started[slices.Index(m.Counted(), e.To)]++
			for a, attribute := range m.Attributes() {
				if k := slices.Index(m.Counted(), attribute+"="+e.Values[a]); k >= 0 {
					started[k]++
				}
			}
		}
	}
	p, err := m.Begin(t.Context(), population.Options{Seed: 1, OnEvent: begin}, 0)
	if err != nil {
		t.Fatal(name, err)
	}
	defer p.Close()
	most := 0
	for day := range 12 {
		if err := p.Advance(t.Context(), float64(day+1)); err != nil {
			t.Fatal(name, err)
		}
		if err := p.Check(); err != nil {
			t.Fatalf("%s: day %d: %v", name, day, err)
		}
		for k, counted := range m.Counted() {
			n, prefix := started[k], ""
			if machine, _, is := strings.Cut(counted, "="); is {
				prefix = machine + "="
			}
			for f, flow := range m.Flows() {
				if flow.From == counted {
					n -= int(p.Flow(f))
				}
				if own, _, is := strings.Cut(flow.From, "="); prefix+flow.To == counted && (is && own+"=" == prefix || !is && prefix == "") {
					n += int(p.Flow(f))
				}
			}
			if n != p.Count(k) {
				t.Errorf("%s: day %d: %d are in %s, and by its flows %d", name, day, p.Count(k), counted, n)
				return
			}
		}
		now := 0
		for q := range m.Queues() {
			now += p.Waiting(q)
		}
		if executor, _, _ := strings.Cut(name, ":"); now < most {
			waited[executor] = true
		}
		most = max(most, now)
	}
}

// The same happens to an individual whatever makes it happen, at once or after its turn in a queue;
// and it happens to nobody else. Whoever leaves makes no move.
func TestEffectIsTheSame(t *testing.T) {
	const moves = ", move: {habit: c, region: {south: 100%}, household: new}, name: effect"
	for _, effect := range []struct{ to, more, want string }{
		{"got", moves, "got, habit c, region south, another household"},
		{"out", moves, "out, as before"},
		{"got", ", uses: none, full: out" + moves, "out, as before"},
	} {
		for i := range executors {
			e := &executors[i]
			for _, queue := range []string{"", ", uses: doses, full: line, queue: true"} {
				switch stays := !strings.Contains(e.text, "TO"); {
				case queue != "" && (e.ofMaker || strings.Contains(effect.more, "uses")):
				case e.noSupply && strings.Contains(effect.more+queue, "uses"):
				case stays && strings.Contains(effect.want, "out"):
				default:
					want, more := effect.want, effect.more+queue
					if stays {
						want = strings.Replace(want, "got", "stays", 1)
					} else if !e.machine { // of the state to which it goes, also from that of full
						more = strings.Replace(more, "{south: 100%}", "{by: state, got: south, other: north}", 1)
					}
					name := fmt.Sprintf("%s: to: %s%s%s", e.name, effect.to, queue, effect.more)
					effectIs(t, name, e.model(effect.to, more), want)
				}
			}
		}
	}
}

// effectIs runs a model, and compares what happens to those to whom the effect happens, and to all
// others.
func effectIs(t *testing.T, name, text, want string) {
	t.Helper()
	m, err := population.Compile("effects.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	const region, habit, care = 0, 1, 2 // among the values of an event
	happened := map[string]int{}
	before := map[uint64]population.Event{}
	look := func(e population.Event) {
		old, known := before[e.Individual]
		if before[e.Individual] = e; !known {
			return
		}
		others := e.Places[0] == old.Places[0] || e.Name == "sign"
		if e.Name != "effect" {
			if !others || e.Values[region] != old.Values[region] || e.Values[habit] == "c" && old.Values[habit] != "c" {
				t.Errorf("%s: day %g: an individual is %v in household %d, and was %v in %d", name, e.Time, e.Values, e.Places[0],
					old.Values, old.Places[0])
			}
			return
		}
		what := "stays"
		switch {
		case e.Kind == population.Left:
			what = "out"
		case e.From != e.To:
			what = e.To
		case e.Values[care] != old.Values[care]:
			what = e.Values[care]
		}
		if what == "line" {
			return
		}
		if slices.Equal(e.Values, old.Values) && others {
			what += ", as before"
		} else {
			what += ", habit " + e.Values[habit] + ", region " + e.Values[region]
			if !others {
				what += ", another household"
			}
		}
		happened[what]++
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 1, OnEvent: look})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(happened) != 1 || happened[want] < 5 {
		t.Errorf("%s: expected %q, found %v", name, want, happened)
	}
	counted, last := slices.Index(m.Names(), "effect"), len(r.Times)-1
	n := int(r.Runs[0].Named(last, counted))
	if line := slices.Index(m.Counted(), "line"); !strings.Contains(name, "queue") && n != happened[want] {
		t.Errorf("%s: it happens to %d, and %d are counted, %d wait", name, happened[want], n, r.Runs[0].Count(last, line))
	}
	for f, flow := range m.Flows() {
		if n := r.Runs[0].Flow(last, f); strings.HasPrefix(want, "out") && flow.To == "c" && n > 0 {
			t.Errorf("%s: %d who leave move before", name, n)
		}
	}
}

// The name of an intervention with when counts those whom it changes, whatever it changes of them;
// only one that changes nobody is counted itself.
func TestNameCountsThoseWhoChange(t *testing.T) {
	for what, does := range map[string]string{
		"state":     "who: ill, to: well",
		"attribute": "who: ill, move: {region: south}",
		"machine":   "who: ill, move: {care: got}",
		"places":    "who: ill, move: {household: new}",
		"entry":     "enter: well, count: 9",
		"parameter": "set: {pace: 0.1 per day}",
	} {
		t.Run(what, func(t *testing.T) {
			changed, happened := 0, 0
			on := func(e population.Event) {
				switch {
				case e.Name == "change" && e.Kind == population.Happened:
					happened++
				case e.Name == "change":
					changed++
				}
			}
			r := exactObserve(t, population.Options{Seed: 1, OnEvent: on}, `
name: change
time: {unit: day, end: 20}
population: {size: 100, start: {ill: 20, well: rest}}
parameters: {pace: 0.2 per day}
attributes: {region: {north: 100%%, south: 0%%}}
places: {household: {size: {10: 100%%}, join: new}}
machines: {care: {start: {none: rest}, enter: none, states: {none: {}, got: {}}}}
states: {well: {}, ill: {race: [{rate: pace, to: well}]}}
interventions: [{when: {ill: below 10}, %s, name: change}]
record: {every: 5 days}
`, does)
			want := 9
			if what == "parameter" {
				want = 1
			}
			if n := r.Runs[0].Named(r.last(), 0); int(n) != want || happened != 1 || changed != 0 && changed != want {
				t.Errorf("%d are counted, and %d individuals changed when it happened %d times", n, changed, happened)
			}
			if r.Model.CountedByGroup(0) != (what != "parameter") {
				t.Error("groups count it if it happens to nobody, or the other way round")
			}
		})
	}
}
