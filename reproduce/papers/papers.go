// Package papers gathers the claims of all papers.
//
//	for _, c := range papers.Claims() {
//		fmt.Println(c.Name, c.Found)
//	}
package papers

import (
	"slices"

	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/berenbrink"
	"github.com/almanac-sim/almanac/reproduce/erickson"
	"github.com/almanac-sim/almanac/reproduce/lehman"
	"github.com/almanac-sim/almanac/reproduce/li"
)

// Claims returns all claims, paper by paper, in the order of the papers.
func Claims() []reproduce.Claim {
	return slices.Concat(erickson.Claims(), lehman.Claims(), berenbrink.Claims(), li.Claims())
}
