package bench

import (
	"bytes"
	"encoding/json"
)

// A key is a name in JSON and what it has.
type key struct {
	name  string
	value any
}

// MarshalJSON writes what the kind of a result has, by the names that it goes by there, with their
// units.
func (r Result) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range r.Kind.family().keys(&r) {
		value, err := json.Marshal(k.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + k.name + `":`)
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func setKeys(r *Result) []key {
	all := []key{
		{"structure", r.Structure}, {"workload", r.Workload}, {"distribution", r.Distribution}, {"n", r.N}, {"plan", r.Plan},
		{"fill_ns", r.Fill}, {"best_ns", r.Best}, {"spread", r.Spread}, {"each_ns", r.Each}, {"ops", r.Ops},
		{"bytes_per_event", r.Bytes}, {"allocs_per_op", r.Allocs},
	}
	return append(all, sliceKeys(r, "mean_ns")...)
}

// sliceKeys are those that there are in slices, and whether it was too slow.
func sliceKeys(r *Result, mean string) (all []key) {
	if r.Slices {
		all = append(all, key{mean, r.Mean}, key{"median_over_first", r.Median})
	}
	if r.Cut {
		all = append(all, key{"cut", true})
	}
	return all
}

func sharedKeys(r *Result) []key {
	all := []key{
		{"structure", r.Structure}, {"workload", r.Workload}, {"n", r.N}, {"goroutines", r.Goroutines}, {"plan", r.Plan},
		{"best_per_second", r.Best}, {"spread", r.Spread}, {"each_per_second", r.Each}, {"ops", r.Ops}, {"failed", r.Failed},
		{"bytes_per_element", r.Bytes}, {"allocs_per_op", r.Allocs}, {"gc_share", r.GC},
	}
	all = append(all, sliceKeys(r, "mean_per_second")...)
	if r.Meter != nil {
		all = append(all, key{"meter", r.Meter})
	}
	return all
}

func kernelKeys(r *Result) []key {
	return []key{
		{"workload", r.Workload}, {"kernel", r.Structure},
		{"events", r.Ops}, {"best_per_second", r.Best}, {"each_per_second", r.Each}, {"allocations_an_event", r.Allocs},
		{"times_channels", r.Over},
		{"rounds", r.Rounds}, {"rounds_per_second", r.RoundsSpeed}, {"round", r.RoundName()},
	}
}

func engineKeys(r *Result) []key {
	return []key{
		{"engine", r.Structure}, {"bins", r.N}, {"capacity", r.Capacity}, {"rate", r.Rate},
		{"thrown", r.Ops}, {"rounds", r.Rounds}, {"best_per_second", r.Best}, {"each_per_second", r.Each},
		{"pool_per_bin", r.Pool},
		{"bytes", int(r.Bytes)}, {"times_literal", r.Over}, {"microseconds_round", 1e6 / r.RoundsSpeed},
	}
}

func runKeys(r *Result) []key {
	all := []key{{"structure", r.Structure}, {"workload", r.Workload}}
	if r.Workload != starting {
		all = append(all, key{"n", r.N}, key{"cores", r.Goroutines}, key{"events", r.Ops / max(1, r.Rounds)},
			key{"setup_s", r.Setup}, key{"peak_bytes", int(r.Bytes)})
	}
	return append(all, key{"best_s", r.Best}, key{"spread", r.Spread}, key{"each_s", r.Each}, key{"times", r.Rounds})
}
