package reproduce

// A Kind is what a check is about.
type Kind string

// The kinds of checks.
const (
	// Printed is the claim as the paper has it: its formula, its number, its words.
	Printed Kind = "printed"
	// Corrected is the claim as it should be where what is printed fails: another constant, another
	// reading, a condition more.
	Corrected Kind = "corrected"
	// Control is about the measurement and not about the claim: that what is simulated is what the
	// paper speaks of, that a reference agrees, that there was enough of it to tell.
	Control Kind = "control"
)

// A Check compares a number with what is expected of it.
type Check struct {
	Kind      Kind    `json:"kind"`
	What      string  `json:"what"`
	Measured  float64 `json:"measured"`
	Expected  float64 `json:"expected"`
	Tolerance float64 `json:"tolerance"` // how far off it may be, and why is in Because
	Because   string  `json:"because"`
	OK        bool    `json:"ok"`
}

// A Checker adds checks of one kind to a finding.
type Checker struct {
	finding *Finding
	kind    Kind
}

// For returns what adds checks of a kind.
func (f *Finding) For(kind Kind) Checker { return Checker{f, kind} }

// Check adds a comparison: measured must be within the tolerance of what is expected, and because
// says where the tolerance comes from. NaN is never within.
func (c Checker) Check(what string, measured, expected, tolerance float64, because string) {
	ok := measured >= expected-tolerance && measured <= expected+tolerance
	c.finding.Checks = append(c.finding.Checks, Check{c.kind, what, measured, expected, tolerance, because, ok})
}

// Between adds a comparison with bounds: measured must be from low to high, or outside of them by
// the tolerance at most.
func (c Checker) Between(what string, measured, low, high, tolerance float64, because string) {
	c.Check(what, measured, (low+high)/2, (high-low)/2+tolerance, because)
}

// Check adds a check of what is printed: see [Checker.Check].
func (f *Finding) Check(what string, measured, expected, tolerance float64, because string) {
	f.For(Printed).Check(what, measured, expected, tolerance, because)
}

// Between adds a check of what is printed against bounds: see [Checker.Between].
func (f *Finding) Between(what string, measured, low, high, tolerance float64, because string) {
	f.For(Printed).Between(what, measured, low, high, tolerance, because)
}

// A Verdict is what is to be said of a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"                   // all checks of what is printed pass
	HoldsThus   Verdict = "holds with a correction" // not all, but those of the correction do
	DoesNotHold Verdict = "does not hold"           // not all, and there is no correction that does
	// a control fails, or nothing printed can be checked: numbers that depend on the machine
	NotDecided Verdict = "not decided"
)

// Verdict decides by the checks, and by nothing else.
func (f *Finding) Verdict() Verdict {
	var checks, passed [3]int
	for _, c := range f.Checks {
		k := map[Kind]int{Printed: 0, Corrected: 1, Control: 2}[c.Kind]
		checks[k]++
		if c.OK {
			passed[k]++
		}
	}
	all := func(k int) bool { return passed[k] == checks[k] }
	switch {
	case !all(2) || checks[0] == 0:
		return NotDecided
	case all(0):
		return Holds
	case checks[1] > 0 && all(1):
		return HoldsThus
	}
	return DoesNotHold
}
