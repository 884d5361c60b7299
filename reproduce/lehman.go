package reproduce

// lehmanClaims are those of Lehman, Keen and Barnes.
func lehmanClaims() []Claim {
	return nil
}
