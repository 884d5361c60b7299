package reproduce

// A Threshold is a number of our own that decides where a paper says "most", "about" or "negligible".
// All of them are in [Thresholds].
type Threshold struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Why   string  `json:"why"`
}

// Thresholds returns all thresholds.
func Thresholds() []Threshold { return []Threshold{} }

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

// Stays says over which values of its threshold the check has the same outcome; "" without one.
func (c *Check) Stays() string {
	switch {
	case c.Threshold == nil:
		return ""
	case c.Measured <= c.Expected:
		return "from " + number(c.Measured) + " on"
	}
	return "up to " + number(c.Measured)
}
