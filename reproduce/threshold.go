package reproduce

// A Threshold is a number of our own that decides where a paper says "most", "about" or
// "negligible".
type Threshold struct {
	Name  string  `json:"name"` // paper: what it decides
	Value float64 `json:"value"`
	Why   string  `json:"why"`
}

// thresholds are all of them. A report says over which range of each a verdict stays.
var thresholds = []Threshold{
	// Erickson, Ladner, LaMarca
	{"calendar: cost grows", 1.1, "a cost that grows by less than a tenth moves the best width by less than a twentieth"},
	{"calendar: cost stops growing", 0.1, "a cost that grows by less than a tenth with twice the events has stopped " +
		"growing"},
	{"calendar: b/c falls", 0.9, "a ratio that changes by less than a tenth moves the best width by less than a " +
		"twentieth"},
	{"calendar: fewer misses", 0.95, "fewer misses by a twentieth are more than the noise"},
	{"calendar: self-tuned", 5, "a static calendar takes 5 times its least, too, if its width is 16 times the best; " +
		"what counts is that the factor does not depend on the load"},
	{"calendar: needs tuning", 20, "a load for which one width takes 20 times the least needs tuning"},
	{"calendar: accurate times", 0.15, "costs that are wrong by this much give a width that takes less than half a " +
		"per cent " +
		"more"},
	{"calendar: quiet machine", 1.25, "where most repetitions take a quarter longer than the best, times cannot tell " +
		"whether a curve is right"},
	// Lehman, Keen, Barnes
	{"lehman: much faster", 0.1, "“much faster”: a tenth of the steps at most"},
	{"lehman: cluster", 0.5, "“cluster near the bin being dispatched”: half of the events are in the next tenth of " +
		"the bins"},
	{"lehman: most", 0.5, "“most bins”: half of them or more"},
	{"lehman: considerably", 0.5, "“considerably reduced”: to a half at most"},
	{"lehman: many orders", 3, "“many orders of magnitude”: three at least"},
	// Berenbrink et al.
	{"capped: good chance", 0.2, "a good chance is 1 in 5 or more"},
	{"capped: negligible, %", 1, "negligible is 1 % or less, beyond 4.5 standard errors"},
	{"capped: stable pool, %", 1, "a stabilized pool lacks 1 % of the long run or less, which is smaller than a point " +
		"in the figures"},
	{"capped: essentially c", 1,
		"essentially c is within a share of c²/ln(1/(1−λ)), which tends to 0 as λ tends to 1"},
	{"capped: Θ of the root", 2, "Θ is within a factor of 2"},
	{"capped: growth of an O(1), rounds", 1, "an O(1) does not grow, but rounds are whole, so that a mean goes up in " +
		"steps of one"},
	{"capped: O(1) of Lemma 5, rounds", 1, "the O(1) of Lemma 5 is one round, as rounds are whole"},
	// Li
	{"spray: tends to 0", 0.5, "what tends to 0 falls to a half or less over the sizes that are measured"},
	{"spray: constant share", 0.8, "a constant share that fails is well below 1"},
	{"spray: logarithmic", 2, "O(log p) is at most 2·(1 + log p): if half fail each time it is log p + 1.3"},
	{"spray: longest chain", 1, "polylogarithmic at worst is log p at most"},
	{"spray: roughly, at least", 0.5, "“roughly” is half as much or more"},
	{"spray: roughly, at most", 1.5, "“roughly” is half as much again or less"},
	{"spray: exponent", 2, "a constant in an exponent falls to a half at most, for what stands before the " +
		"exponential"},
	{"spray: negligible", 0.01, "a share of 1 % or less, for all p from 4 on"},
	{"spray: flat", 0.01, "uniform is within 1 %"},
	{"spray: clean", 1.1, "as in a clean list is within a tenth"},
	{"spray: falls", 0.75, "a variance that vanishes is at three quarters or less; BasicSpray's is at a half"},
	{"spray: retries", 1, "expected constant time is less than one retry for each operation"},
}

// Chosen returns the threshold of that name. It panics if there is none: the names are constants of
// the program.
func Chosen(name string) Threshold {
	for _, t := range thresholds {
		if t.Name == name {
			return t
		}
	}
	panic("reproduce: there is no threshold " + name)
}

// AtMost adds a check that measured is at most a threshold.
func (c Checker) AtMost(what string, measured float64, t Threshold) {
	c.threshold(what, measured, t, measured <= t.Value)
}

// AtLeast adds a check that measured is at least a threshold.
func (c Checker) AtLeast(what string, measured float64, t Threshold) {
	c.threshold(what, measured, t, measured >= t.Value)
}

func (c Checker) threshold(what string, measured float64, t Threshold, ok bool) {
	c.finding.Checks = append(c.finding.Checks, Check{Kind: c.kind, What: what, Measured: measured, Expected: t.Value,
		Because: "chosen: " + t.Why, OK: ok, Threshold: &t})
}

// Stays returns the values of the threshold for which the check has the same outcome, in words; ""
// if the check has no threshold.
func (c *Check) Stays() string {
	switch {
	case c.Threshold == nil:
		return ""
	case c.Measured <= c.Expected:
		return "from " + number(c.Measured) + " on"
	}
	return "up to " + number(c.Measured)
}
