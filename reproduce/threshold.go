package reproduce

// A Threshold is a number of our own that decides where a paper says "most", "about" or "negligible".
// All of them are in [Thresholds].
type Threshold struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Why   string  `json:"why"`
}

// Thresholds returns all thresholds.
func Thresholds() []Threshold {
	return []Threshold{
		CacheGrows(), CacheStops(), CacheRatio(), CacheCorrelation(), SelfTuned(), LoadChanges(),
		AccurateTimes(), QuietTimes(),
	}
}

// Erickson, Ladner and LaMarca:

// CacheGrows is by how much a cost grows, at least, if caches matter.
func CacheGrows() Threshold {
	return Threshold{"CacheGrows", 1.1, "a cost that grows by less than a tenth moves the best width by less " +
		"than a twentieth"}
}

// CacheStops is by how much a cost grows, at most, when its growth has stopped.
func CacheStops() Threshold {
	return Threshold{"CacheStops", 0.1, "a cost that grows by less than a tenth with twice the events has " +
		"stopped growing"}
}

// CacheRatio is what b/c falls to, at most, if it changes with N.
func CacheRatio() Threshold {
	return Threshold{"CacheRatio", 0.9, "a ratio that changes by less than a tenth moves the best width by less " +
		"than a twentieth"}
}

// CacheCorrelation is the ratio of misses, at most, if one jump has more correlation than another.
func CacheCorrelation() Threshold {
	return Threshold{"CacheCorrelation", 0.95, "fewer misses by a twentieth are more than the noise"}
}

// SelfTuned is how many times the least a self-tuning queue may take.
func SelfTuned() Threshold {
	return Threshold{"SelfTuned", 5, "a static calendar takes 5 times its least, too, if its width is 16 times the " +
		"best; what counts is that the factor does not depend on the load"}
}

// LoadChanges is how many times the least one width takes, at least, if a load needs tuning.
func LoadChanges() Threshold {
	return Threshold{"LoadChanges", 20, "a load for which one width takes 20 times the least needs tuning"}
}

// AccurateTimes is how far times may be from a curve that predicts them accurately.
func AccurateTimes() Threshold {
	return Threshold{"AccurateTimes", 0.15, "costs that are wrong by this much give a width that takes less than " +
		"half a per cent more"}
}

// QuietTimes is how many times the fastest repetition the slowest may take if times are to decide.
func QuietTimes() Threshold {
	return Threshold{"QuietTimes", 1.25, "where most repetitions take a quarter longer than the best, times " +
		"cannot tell whether a curve is right"}
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
