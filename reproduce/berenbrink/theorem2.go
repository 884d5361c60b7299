package berenbrink

import "github.com/almanac-sim/almanac/reproduce"

// theorem2 is the bound for arbitrary capacities. Its proof has 12c·n for the O(c·n).
func theorem2(e effort) reproduce.Claim {
	return theoremClaim(e, reproduce.Claim{
		Name: "capped-theorem-2", Place: "Theorem 2", Found: reproduce.Holds,
		Says: "At the end of any round the pool of CAPPED(c, λ) is less than (4/c)·ln(1/(1−λ))·n + O(c·n) with probability " +
			"1−2^(−2n), and the balls of any round wait for at most 4·ln(1/(1−λ))/(c(1−1/e)) + log log n + O(c) rounds with " +
			"probability 1−n^(−2), for every λ ≤ 1−1/n.",
	}, []int{2, 3, 5})
}
