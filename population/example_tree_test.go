package population_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/almanac-sim/almanac/population"
)

// inARow are three people of whom each meets the next one only, and is infectious two days after it
// is infected.
const inARow = `
name: in a row
time: {unit: day, end: 5}
population:
  size: 3
  groups:
    - {count: 1, with: {who: first}, start: {ill: rest}}
    - {count: 1, with: {who: second}, start: {well: rest}}
    - {count: 1, with: {who: third}, start: {well: rest}}
attributes: {who: {first: 40%, second: 30%, third: 30%}}
states: {well: {}, exposed: {race: [{after: 2 days, to: ill}]}, ill: {}}
transmission:
  - {from: ill, rate: 1000 per day, to: {well: exposed}, name: infection,
     mixing: {by: who, matrix: [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}}
record: {every: 1 day, tree: {of: infection}}
`

// treeInARow runs the three people, ten times.
func treeInARow() *population.Tree {
	m, err := population.Compile("row.yaml", []byte(inARow))
	if err != nil {
		panic(err)
	}
	r, err := m.Run(context.Background(), population.Options{Replicas: 10})
	if err != nil {
		panic(err)
	}
	return r.Tree()
}

// The third is infected two days after the second. When the first was infected is not known.
func ExampleDurations() {
	d := treeInARow().GenerationTime
	fmt.Printf("%d generation times, with a median of %.1f days\n", d.N, d.Median)
	fmt.Println("shares of 0 to 1, 1 to 2 and 2 to 3 days:", d.Shares(1, 3))
	// Output:
	// 10 generation times, with a median of 2.0 days
	// shares of 0 to 1, 1 to 2 and 2 to 3 days: [0 0 1]
}

// A cohort is those who were infected in an interval: the second on the first day, the third on the
// third.
func ExampleReproduction() {
	for day, of := range treeInARow().Reproduction {
		if of.N > 0 {
			fmt.Printf("day %d: %d were infected, and infected %g each\n", day, of.N, of.Mean)
		}
	}
	// Output:
	// day 1: 10 were infected, and infected 1 each
	// day 3: 10 were infected, and infected 0 each
}

// Of several largest trees it is the first.
func ExampleLargestTree() {
	l := treeInARow().Largest
	fmt.Printf("%d individuals, from individual %d of replica %d on\n", l.Size, l.Root, l.Replica)
	// Output: 3 individuals, from individual 1 of replica 0 on
}

// A large file of people is read once for all models that are compiled from it.
func ExampleShared() {
	dir, err := os.MkdirTemp("", "people")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	const people = "uid,state\nA7,ill\nB2,well\nC5,well\n"
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), []byte(people), 0o644); err != nil {
		panic(err)
	}
	const model = `
name: named
time: {unit: day, end: 5}
population: {people: {file: people.csv, columns: {id: uid, state: state}}}
parameters: {beta: 0.5 per day}
states: {well: {}, ill: {}}
transmission: [{from: ill, rate: beta, to: {well: ill}}]
`
	var shared population.Shared
	for _, beta := range []string{"0.5 per day", "1 per day"} {
		m, err := population.Compile("named.yaml", []byte(model), population.Set("beta", beta),
			population.Files(population.Dir(dir)), population.Streams(population.OpenDir(dir)), population.Share(&shared))
		if err != nil {
			panic(err)
		}
		fmt.Println(beta, m.Size(), m.ID(2))
	}
	// Output:
	// 0.5 per day 3 B2
	// 1 per day 3 B2
}
