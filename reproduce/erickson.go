package reproduce

// ericksonClaims are those of Erickson, Ladner and LaMarca, in the order of the paper.
func ericksonClaims() []Claim {
	return nil
}
