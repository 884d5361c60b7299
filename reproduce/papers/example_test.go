package papers_test

import (
	"fmt"

	"github.com/almanac-sim/almanac/reproduce/papers"
)

func ExampleClaims() {
	for _, c := range papers.Claims() {
		if c.Name == "theorem-3.1" {
			fmt.Println(c.Paper, "|", c.Place)
		}
	}
	// Output:
	// Erickson, Ladner, LaMarca 1994 | Theorem 3.1
}
