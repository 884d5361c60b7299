package berenbrink

import "github.com/almanac-sim/almanac/reproduce"

// lemma6 is the coupling for arbitrary capacities, with the bound of Lemma 7.
func lemma6(e effort) reproduce.Claim {
	return couplingClaim(e, reproduce.Claim{
		Name: "capped-lemma-6", Place: "Lemmas 6 and 7", Found: reproduce.Holds,
		Says: "The pool of CAPPED(c, λ) is stochastically dominated by that of MODCAPPED(c, λ), which throws at least m* = " +
			"(2/c)·ln(1/(1−λ))·n + 6c·n balls in every round, and under the coupling of the proof so is the load of every bin; and " +
			"that pool is less than 2m* with probability 1−2^(−2n).",
	}, []int{2, 3, 4, 7})
}
