package population

import (
	"encoding/json"
	"math"
)

// Deviations are standard deviations over the replicas, row by row, with n−1. One replica alone says nothing of how much
// replicas differ: where only one has recorded a row, the deviation is missing. It is then NaN, and null in JSON.
type Deviations []float64

// MarshalJSON writes null for what is missing.
func (d Deviations) MarshalJSON() ([]byte, error) {
	all := make([]*float64, len(d))
	for i := range d {
		if !math.IsNaN(d[i]) {
			all[i] = &d[i]
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads null as missing.
func (d *Deviations) UnmarshalJSON(text []byte) error {
	var all []*float64
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*d = make(Deviations, len(all))
	for i, x := range all {
		(*d)[i] = math.NaN()
		if x != nil {
			(*d)[i] = *x
		}
	}
	return nil
}
