package reproduce_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/reproduce"
)

// byName finds a claim.
func byName(name string) reproduce.Claim {
	for _, c := range reproduce.Claims() {
		if c.Name == name {
			return c
		}
	}
	panic("no claim " + name)
}

func ExampleClaim() {
	c := byName("theorem-3.1")
	fmt.Println(c.Paper, "|", c.Place)
	// Output:
	// Erickson, Ladner, LaMarca 1994 | Theorem 3.1
}

func ExampleRun() {
	results, err := reproduce.Run(context.Background(), []reproduce.Claim{byName("theorem-3.1")}, reproduce.Options{Seed: 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(r.Name, r.Verdict)
	}
	// Output:
	// theorem-3.1 holds
}

func ExampleReport_HTML() {
	r := reproduce.Report{Machine: "this one", Command: "almanac reproduce"}
	var page strings.Builder
	if err := r.HTML(&page); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(page.String(), "almanac reproduce"))
	// Output:
	// true
}
