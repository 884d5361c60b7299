package berenbrink

import "github.com/almanac-sim/almanac/reproduce"

// lemma1 is the coupling for unit capacity, with the bound of Lemma 2 on the process that dominates.
func lemma1(e effort) reproduce.Claim {
	return couplingClaim(e, reproduce.Claim{
		Name: "capped-lemma-1", Place: "Lemmas 1 and 2", Found: reproduce.Holds,
		Says: "The pool of CAPPED(1, λ) is stochastically dominated by that of MODCAPPED(1, λ), which throws at least m* = " +
			"ln(1/(1−λ))·n + 2n balls in every round; and that is less than 2m* with probability 1−2^(−2n).",
	}, []int{1})
}
