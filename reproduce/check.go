package reproduce

// A Kind is what a check is about.
type Kind string

// The kinds of checks.
const (
	// Printed is the claim as the paper has it: its formula, its number, its words.
	Printed Kind = "printed"
	// Corrected is the claim with a correction, where the printed one fails: another constant,
	// another reading, an additional condition.
	Corrected Kind = "corrected"
	// OtherReading is the claim by another defensible reading of the paper's words.
	OtherReading Kind = "another reading"
	// Answer is what was found about a question that the paper leaves open.
	Answer Kind = "answer"
	// Own is a statement of ours that the paper does not make.
	Own Kind = "own"
	// Control checks the measurement, not the claim: that the simulation is of what the paper
	// describes, that a reference agrees, that there were enough observations to decide.
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
	// Threshold is what was chosen to decide, where the paper gives no number; nil if it does.
	Threshold *Threshold `json:"threshold,omitempty"`
}

// A Checker adds checks of one kind to a finding.
type Checker struct {
	finding *Finding
	kind    Kind
}

// For returns a Checker that adds checks of a kind.
func (f *Finding) For(kind Kind) Checker { return Checker{f, kind} }

// Check adds a comparison: measured must be within the tolerance of what is expected, and because
// says where the tolerance comes from. NaN is never within.
func (c Checker) Check(what string, measured, expected, tolerance float64, because string) {
	ok := measured >= expected-tolerance && measured <= expected+tolerance
	c.finding.Checks = append(c.finding.Checks, Check{
		Kind: c.kind, What: what, Measured: measured, Expected: expected, Tolerance: tolerance, Because: because, OK: ok})
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

// A Verdict is the result of checking a claim.
type Verdict string

// The verdicts on a claim of a paper.
const (
	Holds          Verdict = "holds"                   // all checks of what is printed pass
	HoldsCorrected Verdict = "holds with a correction" // not all, but those of the correction do
	DoesNotHold    Verdict = "does not hold"           // not all, and there is no correction that does
	Ambiguous      Verdict = "ambiguous"               // by one reading it holds, by another it does not
	// Undecided means that a control fails, or that nothing printed can be checked: a figure of
	// unknown origin, another machine.
	Undecided Verdict = "undecided"
)

// The verdicts on what is not a claim of a paper. They are counted apart.
const (
	Answered  Verdict = "open question, answered" // all checks of the answer pass
	OwnResult Verdict = "own result"              // all checks of what we state pass
)

// Verdicts returns all verdicts, in the order of a report.
func Verdicts() []Verdict {
	return []Verdict{Holds, HoldsCorrected, DoesNotHold, Ambiguous, Undecided, Answered, OwnResult}
}

// OfThePaper reports whether the verdict is on a claim of the paper, which counts, and not on an
// open question or a result of our own.
func (v Verdict) OfThePaper() bool { return v != Answered && v != OwnResult }

// A Grade is how strong the evidence for a verdict is.
type Grade string

// The grades, the strongest first.
const (
	Proved          Grade = "proved"           // a proof, or a counterexample computed exactly
	Exact           Grade = "exact on a grid"  // computed without chance, for the parameters listed
	Simulated       Grade = "simulated"        // measured, with standard errors
	NotContradicted Grade = "not contradicted" // the claim allows so much that little could refute it
)

// Grades returns all grades, the strongest first.
func Grades() []Grade { return []Grade{Proved, Exact, Simulated, NotContradicted} }

// Verdict decides by the checks, and by nothing else.
func (f *Finding) Verdict() Verdict {
	checks, failed := map[Kind]int{}, map[Kind]int{}
	for _, c := range f.Checks {
		checks[c.Kind]++
		if !c.OK {
			failed[c.Kind]++
		}
	}
	pass := func(k Kind) bool { return checks[k] > 0 && failed[k] == 0 }
	switch {
	case failed[Control] > 0:
		return Undecided
	case checks[Printed] > 0 && checks[OtherReading] > 0 && pass(Printed) != pass(OtherReading):
		return Ambiguous
	case pass(Printed):
		return Holds
	case checks[Printed] > 0 && pass(Corrected):
		return HoldsCorrected
	case checks[Printed] > 0:
		return DoesNotHold
	case pass(Answer):
		return Answered
	case pass(Own):
		return OwnResult
	}
	return Undecided
}
