// Measures asks what it takes to stop an epidemic: it runs a model file with several rates of
// contact, many times each, and says how many fell ill, how many at once, and how often the
// epidemic died out by itself.
//
//	go run ./examples/measures -model examples/sir.yaml
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/almanac-sim/almanac/population"
)

func main() {
	file := flag.String("model", "examples/sir.yaml",
		"model `file` with a parameter beta and states infectious and recovered")
	size := flag.Int("size", 2000, "number of individuals")
	replicas := flag.Int("replicas", 50, "replicas of each")
	flag.Parse()
	if *size < 100 || *replicas < 2 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "measures: -size is at least 100, -replicas at least 2, and there are no other arguments")
		os.Exit(2)
	}
	fmt.Println("contacts per day   fell ill: mean, 5 % and 95 %    at most at once    died out")
	for _, beta := range []string{"0.15", "0.2", "0.25", "0.3", "0.4", "0.5"} {
		if err := try(*file, beta, *size, *replicas); err != nil {
			fmt.Fprintln(os.Stderr, "measures:", err)
			os.Exit(1)
		}
	}
}

// try runs the model with one rate of contact.
func try(file, beta string, size, replicas int) error {
	m, err := population.Load(file, population.Set("beta", beta+" per day"), population.Size(size))
	if err != nil {
		return err
	}
	infectious, recovered := slices.Index(m.States(), "infectious"), slices.Index(m.States(), "recovered")
	if infectious < 0 || recovered < 0 {
		return fmt.Errorf("%s has no states infectious and recovered", file)
	}
	result, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		return err
	}
	end := result.Rows() - 1
	ill := result.State(recovered)
	ranges := result.StateQuantiles(recovered, 0.05, 0.95)
	peak, _ := result.Peak(infectious)
	out := 0
	for i := range result.Runs { // each replica by itself
		if result.Runs[i].Count(end, recovered) < size/20 {
			out++
		}
	}
	fmt.Printf("%16s   %8.1f  %8.0f  %8.0f        %8.1f           %3d of %d\n",
		beta, ill.Mean[end], ranges[0][end], ranges[1][end], peak, out, replicas)
	return nil
}
