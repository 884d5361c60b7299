package berenbrink

import "github.com/almanac-sim/almanac/reproduce"

// theorem1 is the bound for unit capacity.
func theorem1(e effort) reproduce.Claim {
	return theoremClaim(e, reproduce.Claim{
		Name: "capped-theorem-1", Place: "Theorem 1", Found: reproduce.Holds,
		Says: "At the end of any round the pool of CAPPED(1, λ) is less than 2·ln(1/(1−λ))·n + 4n with probability 1−2^(−2n), and " +
			"the balls of any round wait for at most (2·ln(1/(1−λ)) + 4)/(1−1/e) + log log n + O(1) rounds with probability " +
			"1−n^(−2), for every λ ≤ 1−1/n.",
	}, []int{1})
}
