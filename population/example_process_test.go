package population_test

import (
	"context"
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// A replica is run from one time to the next, and looked at in between.
func ExampleProcess() {
	model, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := model.Begin(ctx, population.Options{Seed: 1}, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	for _, day := range []float64{0, 7.5, 30} {
		if err := p.Advance(ctx, day); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("day %v:", p.Time())
		for i, state := range model.States() {
			fmt.Printf(" %d %s", p.Count(i), state)
		}
		fmt.Println()
	}
	// Output:
	// day 0: 990 susceptible 10 infectious 0 recovered
	// day 7.5: 864 susceptible 98 infectious 38 recovered
	// day 30: 385 susceptible 6 infectious 609 recovered
}

// What can become of an epidemic from day 10 on, if it has come so far.
func ExampleProcess_Fork() {
	model, err := population.Compile("sir.yaml", []byte(sir))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := model.Begin(ctx, population.Options{Seed: 1}, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	if err := p.Advance(ctx, 10); err != nil {
		log.Fatal(err)
	}
	fmt.Println("day 10:", p.Count(1), "infectious")
	for luck := range uint64(3) {
		f, err := p.Fork(luck)
		if err != nil {
			log.Fatal(err)
		}
		if err := f.Advance(ctx, 20); err != nil {
			log.Fatal(err)
		}
		fmt.Println("day 20:", f.Count(1), "infectious")
		f.Close()
	}
	// Output:
	// day 10: 203 infectious
	// day 20: 108 infectious
	// day 20: 78 infectious
	// day 20: 93 infectious
}
