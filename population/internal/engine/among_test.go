package engine

import "testing"

// An infection by nobody, and one that tracing makes, are among nothing: also at time 0, in the
// first slot, and at the instant of a contact among neighbours by the same individual.
func TestAmongNothing(t *testing.T) {
	const start = `
name: among
time: {unit: day, start: 0, end: 3}
population: {size: 10, start: {first: 1, susceptible: rest}}
places: {home: {size: 3}}
states: {first: {}, susceptible: {}, infected: {}}
transmission: [{from: infected, among: home, rate each: 0.1 per day, to: {susceptible: infected}, name: infection}]
`
	const back = `
name: among
time: {unit: day, start: 0, end: 3}
population: {size: 300, start: {infected: 150, susceptible: rest}}
places: {home: {size: 3}}
states: {susceptible: {}, infected: {}, ill: {}}
transmission: [{from: infected, among: home, rate each: 1 per day, to: {susceptible: ill}, name: infection}]
`
	for name, source := range map[string]string{
		"intervention at the start": start + `
interventions: [{at: 0 days, who: [first, susceptible], coverage: 100%, to: infected, name: infection}]
record: {every: 1 day, tree: {of: infection}}
`,
		"tracing at the start": start + `
interventions: [{at: 0 days, who: first, coverage: 100%, to: infected}]
tracing: [{when: infected, through: {home: 100%}, to: {susceptible: infected}, name: traced}]
record: {every: 1 day, tree: {of: traced}}
`,
		"tracing of the maker": back + `
tracing: [{when: ill, through: {home: 100%}, to: {infected: ill}, name: traced}]
record: {every: 1 day, tree: {of: traced}}
`,
	} {
		rows, m := 0, programOf(t, source)
		r := Run{sparseRule: usualSparse}
		r.OnInfection = func(i *Infection) {
			if rows++; i.Among >= 0 {
				t.Errorf("%s: %+v", name, *i)
			}
		}
		if err := r.Start(t.Context(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(t.Context(), 3, nil); err != nil {
			t.Fatal(err)
		}
		if rows == 0 {
			t.Errorf("%s: nobody was infected", name)
		}
	}
}
