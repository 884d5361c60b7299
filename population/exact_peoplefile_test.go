package population_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// Test 1 of section 3 with members that a file names: households are those of the file, whatever
// their names, and nobody else is met.
func TestExactHouseholdsOfAFile(t *testing.T) {
	r := withFiles(t, population.Options{Seed: 1, Replicas: testscale.Size(8000, 400_000)}, map[string]string{
		"people.csv": "hh_id,state\nx,\ny,\nx,\n\"x\",infectious\n,\nx,\ny,\n",
	}, `
name: households
time: {unit: day, end: 200}
population: {people: {file: people.csv, columns: {household: hh_id}}, start: {susceptible: rest}}
places: {household: {}}
states:
  susceptible: {}
  infectious: {race: [{after: {gamma: {mean: 2 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, among: household, rate each: 0.3 per day, to: {susceptible: infectious}}]
record: {every: 200 days}
`)
	checkSizes(t, r, "recovered", ballSizes(3, func(k float64) float64 { return math.Pow(1+0.3*k, -2) }))
	places := r.Places(0)
	if places.Number.Mean[0] != 2 || places.Members.Mean[0] != 6 {
		t.Errorf("%v places with %v members", places.Number.Mean[0], places.Members.Mean[0])
	}
}

const everyColumn = `
name: columns
time: {unit: year, end: 20}
population:
  people: {file: people.csv, ignore: [note, ""]}
  start: {well: rest}
  age: 20 years
attributes:
  sex: {f: 0%, m: 100%}
  activity: {number: {gamma: {mean: 1, shape: 2}}}
  band: {age: {young: 0 years, old: 75 years}}
states:
  well: {}
  ill: {race: [{after: 5 years, to: well, name: recovery}]}
machines:
  hiv:
    start: {negative: rest}
    states: {negative: {}, positive: {race: [{after: 3 years, to: negative, name: clearance}]}}
places: {house: {}, ward: {number: 3}}
always: [{after: 80 years, to: out, name: death}]
record: {every: 1 year}
`

// Every column is what the individual has, at its time: clocks with fixed times show it.
func TestEveryColumn(t *testing.T) {
	const table = `"",id,state,since,age in years,sex,hiv,since hiv,activity,count,house,ward,note
1,ann,ill,1.5,70,f,positive,2,2.5,,h1,,x
2,bob,ill,,,,positive,,0,1,h1,b,x
3,,,,79.5,f,,,,3,,b,x
`
	m, err := population.Compile("model.yaml", []byte(everyColumn), files(map[string]string{"people.csv": table}))
	if err != nil {
		t.Fatal(err)
	}
	if m.Size() != 5 {
		t.Fatalf("%d people", m.Size())
	}
	got := map[string]bool{}
	numbers := map[uint64]float64{}
	r, err := m.Run(t.Context(), population.Options{Seed: 4, OnEvent: func(e population.Event) {
		text := fmt.Sprintf("%v %d %s %s %v", math.Round(1000*e.Time)/1000, e.Individual, m.ID(e.Individual), e.Name,
			e.Values)
		if e.Kind == population.Started {
			text += " " + e.To
			numbers[e.Individual] = e.Numbers[0]
		}
		got[text] = true
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"0 1 ann  [f young positive] ill", "0 2 bob  [m young positive] ill", "0 3   [f old negative] well",
		"0 5   [f old negative] well",
		"1 1 ann clearance [f young negative]", "3 2 bob clearance [m young negative]",
		"3.5 1 ann recovery [f young negative]", "5 2 bob recovery [m young negative]",
		"0.5 3  death [f old negative]", "0.5 5  death [f old negative]", "10 1 ann death [f old negative]",
	} {
		if !got[want] {
			t.Errorf("there is no %q among\n%s", want, strings.Join(keys(got), "\n"))
		}
	}
	if numbers[1] != 2.5 || numbers[2] != 0 || !(numbers[3] > 0) || numbers[3] == numbers[4] {
		t.Errorf("numbers %v", numbers)
	}
	house, ward := r.Places(0), r.Places(1)
	if house.Number.Mean[0] != 1 || house.Members.Mean[0] != 2 || ward.Number.Mean[0] != 3 || ward.Members.Mean[0] != 4 {
		t.Errorf("%v houses with %v, %v wards with %v", house.Number.Mean[0], house.Members.Mean[0], ward.Number.Mean[0],
			ward.Members.Mean[0])
	}
}

func keys(m map[string]bool) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// Numbers of a machine are dealt among those of whom the file says nothing.
func TestMachineIsDealtAmongThoseWithout(t *testing.T) {
	const runs = 2000
	m, err := population.Compile("model.yaml", []byte(`
name: dealt
time: {unit: day, end: 1}
population: {people: {file: people.csv}, start: {a: rest}}
states: {a: {}}
machines: {hiv: {start: {positive: 1, negative: rest}, states: {positive: {}, negative: {}}}}
record: {every: 1 day}
`), files(map[string]string{"people.csv": "id,hiv\nann,positive\nbob,\ncid,\ndee,negative\n"}))
	if err != nil {
		t.Fatal(err)
	}
	positive := map[string]int{}
	_, err = m.Run(t.Context(), population.Options{Seed: 1, Replicas: runs, Workers: 1, OnEvent: func(e population.Event) {
		if e.Values[0] == "positive" {
			positive[m.ID(e.Individual)]++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if positive["ann"] != runs || positive["dee"] != 0 || positive["bob"]+positive["cid"] != runs {
		t.Errorf("%v", positive)
	}
	checkShare(t, "bob", float64(positive["bob"]), runs, 0.5)
}

// A population that is large enough to be set up in blocks, on several cores, is the same people:
// each has the values of its row, and as many are dealt as the start says.
func TestManyPeople(t *testing.T) {
	const n = 40_000
	var b strings.Builder
	b.WriteString("uid,hh_id,age,state\n")
	for i := range n {
		state := ""
		if i%100 == 0 {
			state = "immune"
		}
		fmt.Fprintf(&b, "%d,h%d,%d,%s\n", 7*i+3, i/4, i%90, state)
	}
	m, err := population.Compile("model.yaml", []byte(`
name: many
time: {unit: day, end: 5}
population:
  people: {file: people.csv, columns: {id: uid, household: hh_id, "age in years": age}}
  start: {infectious: 1%, susceptible: rest}
attributes: {band: {age: {child: 0 years, adult: 18 years}}}
places: {household: {}}
states: {susceptible: {}, infectious: {race: [{after: 3 days, to: immune}]}, immune: {}}
transmission: [{from: infectious, among: household, rate each: 0.2 per day, to: {susceptible: infectious}}]
record: {every: 1 day, by: band}
`), files(map[string]string{"people.csv": b.String()}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(t.Context(), population.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.State(1).Mean[0]; s != 396 { // 1% of those without a state
		t.Errorf("%v are infectious", s)
	}
	children := r.In(0).State(0).Mean[0] + r.In(0).State(1).Mean[0] + r.In(0).State(2).Mean[0]
	if want := float64(n/90*18 + 18); children != want { // the last rows are of the ages 0 to 39
		t.Errorf("%v children, want %v", children, want)
	}
	if p := r.Places(0); p.Number.Mean[0] != n/4 || p.Sizes[4].Mean[0] != n/4 {
		t.Errorf("%v places, of which %v have 4 members", p.Number.Mean[0], p.Sizes[4].Mean[0])
	}
	if m.ID(n) != fmt.Sprint(7*(n-1)+3) {
		t.Errorf("the last id is %s", m.ID(n))
	}
}
