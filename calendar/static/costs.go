package static

// Costs are what the steps of a calendar take, in any unit of time: the hidden parameters of an
// implementation, which [Calibrate] measures on the machine it runs on.
type Costs struct {
	Empty float64 `json:"b"` // b: to visit an empty bucket
	Entry float64 `json:"c"` // c: to look at an entry of a bucket's list
	Fixed float64 `json:"d"` // d: everything else for each event
}

// A Jump is the distribution of how far ahead of the clock a new event is scheduled.
type Jump struct {
	Mean    float64                 // μ
	CDF     func(x float64) float64 // F: the probability of at most x
	Support float64                 // β: no jump is longer; +Inf if there is no such bound
}
