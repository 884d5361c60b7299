package population_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/almanac-sim/almanac/population"
)

// savedTown saves the state of a town at day 10, and returns the name of the file.
func savedTown(dir string) (path string, err error) {
	const town = `
name: town
time: {unit: day, end: 40}
population: {size: 1000, start: {well: rest, ill: 10}}
parameters: {beta: 0.5 per day}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: immune}]}, immune: {}}
transmission: [{from: ill, rate: beta, to: {well: ill}}]
record: {every: 10 days}
`
	m, err := population.Compile("town.yaml", []byte(town), population.SaveAt("10"))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "town.almanac")
	w, err := m.CreateState(path)
	if err != nil {
		return "", err
	}
	defer w.Drop()
	if _, err := m.Run(context.Background(), population.Options{Seed: 1, Save: w}); err != nil {
		return "", err
	}
	return path, w.Keep()
}

func ExampleStateWriter() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path, err := savedTown(dir)
	fmt.Println(filepath.Base(path), err)
	// Output: town.almanac <nil>
}

// Two branches have the same past.
func ExampleState() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path, err := savedTown(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := population.OpenState(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, beta := range []string{"0.5 per day", "0.1 per day"} {
		m, err := s.Compile(population.Set("beta", beta))
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := m.Run(context.Background(), population.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		run := &result.Runs[0]
		fmt.Println(beta, "many at the end:", run.Count(4, 2) > 500)
	}
	// Output:
	// 0.5 per day many at the end: true
	// 0.1 per day many at the end: false
}
