package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/almanac-sim/almanac/population"
)

// A Summary is what almanac run --json prints, and summary.json holds.
type Summary struct {
	Model       string          `json:"model"`
	Seed        uint64          `json:"seed"`
	Replicas    int             `json:"replicas"`
	Done        int             `json:"done"`
	Incomplete  bool            `json:"incomplete"`
	Stopped     string          `json:"stopped,omitempty"`
	Unit        string          `json:"unit"`
	Events      uint64          `json:"events"`
	PersonYears float64         `json:"person_years"`
	Version     string          `json:"version"`
	Parameters  Ordered[string] `json:"parameters"`
	// Drawn says from which table each replica draws values of parameters; nil if all have the
	// same.
	Drawn *Drawn    `json:"drawn,omitempty"`
	Times []float64 `json:"times"`
	Dates []string  `json:"dates,omitempty"`
	Counts
	// Supplies has how much there was of what is used up.
	Supplies Ordered[population.SupplySeries] `json:"supplies,omitzero"`
	// Places has how many places of each kind there were.
	Places Ordered[population.PlaceSeries] `json:"places,omitzero"`
	// Tree has who infected whom, pooled over all replicas; nil if the model does not record it.
	Tree *Tree `json:"tree,omitempty"`
	// Queues has how many waited in turn for each kind of places and each supply.
	Queues Ordered[population.Series] `json:"queues,omitzero"`
	// Networks has how many links there were in each network.
	Networks Ordered[population.NetworkSeries] `json:"networks,omitzero"`
	// By has what was recorded by group: under what it is a group of, "region" or "region,age", and
	// which, "north" or "north,child".
	By    Ordered[Ordered[Counts]] `json:"by,omitzero"`
	Peaks Ordered[Peak]            `json:"peaks"`
}

// A Tree summarises who infected whom; see [population.Tree]. A pointer is nil where there is no
// number.
type Tree struct {
	Offspring      map[int]float64 `json:"offspring"`
	GenerationTime struct {
		Mean   *float64 `json:"mean"`
		SD     *float64 `json:"sd"`
		Q05    *float64 `json:"q05"`
		Q25    *float64 `json:"q25"`
		Median *float64 `json:"median"`
		Q75    *float64 `json:"q75"`
		Q95    *float64 `json:"q95"`
		N      uint64   `json:"n"`
	} `json:"generation time"`
	Chains       map[int]uint64 `json:"chains"`
	Reproduction struct {
		Times []float64  `json:"times"`
		Mean  []*float64 `json:"mean"`
		N     []uint64   `json:"n"`
	} `json:"reproduction"`
}

// Drawn says from which table each replica draws values of parameters, as with almanac run --from.
type Drawn struct {
	From       string   `json:"from"` // the path of a table
	Rows       int      `json:"rows"`
	Effective  float64  `json:"effective"`  // the effective sample size
	Parameters []string `json:"parameters"` // whose values are drawn
}

// Counts are what was counted, of everybody or of a group.
type Counts struct {
	States         Ordered[population.Series] `json:"states"`
	Total          population.Series          `json:"total"`
	Flows          Ordered[population.Series] `json:"flows"`
	Named          Ordered[population.Series] `json:"named,omitzero"`
	Incidence      Ordered[population.Series] `json:"incidence,omitzero"`
	NamedIncidence Ordered[population.Series] `json:"named_incidence,omitzero"`
	Outcomes       Ordered[population.Series] `json:"outcomes,omitzero"` // since the start
	Time           Ordered[population.Series] `json:"time,omitzero"`     // person-time in each state
	Observed       Ordered[ObservedCounts]    `json:"observed,omitzero"`
	Machines       Ordered[MachineCounts]     `json:"machines,omitzero"`
}

// ObservedCounts are what was seen since the start. Tested and Expected are of surveys.
type ObservedCounts struct {
	Seen      population.Series  `json:"seen"`
	Incidence *population.Series `json:"incidence,omitempty"`
	Tested    *population.Series `json:"tested,omitempty"`
	Expected  *population.Series `json:"expected,omitempty"`
}

// MachineCounts are what was counted of a machine: how many were in each of its states, and how
// many went from one to another.
type MachineCounts struct {
	States    Ordered[population.Series] `json:"states"`
	Flows     Ordered[population.Series] `json:"flows"`
	Incidence Ordered[population.Series] `json:"incidence,omitzero"`
	Time      Ordered[population.Series] `json:"time,omitzero"` // person-time in each of its states
}

// A Peak is the most that were in a state at once, and when: means over the replicas.
type Peak struct {
	Count float64 `json:"count"`
	Time  float64 `json:"time"`
}

// ReadSummary reads what almanac run --json prints.
func ReadSummary(r io.Reader) (*Summary, error) {
	d := json.NewDecoder(r)
	var s Summary
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("results: this is not what almanac run --json prints: %w", err)
	}
	if s.Model == "" || len(s.States.names) == 0 {
		return nil, fmt.Errorf("results: this is not what almanac run --json prints: it has no model or no states")
	}
	return &s, nil
}

// Ordered is a map by name that keeps an order: that of the model file.
type Ordered[T any] struct {
	names []string
	by    map[string]T
}

// Names returns all names, in order.
func (o Ordered[T]) Names() []string { return append([]string(nil), o.names...) }

// Get returns the value of a name.
func (o Ordered[T]) Get(name string) (T, bool) {
	t, ok := o.by[name]
	return t, ok
}

// All yields the names and their values, in order.
func (o Ordered[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, name := range o.names {
			if !yield(name, o.by[name]) {
				return
			}
		}
	}
}

// IsZero reports whether the object was absent.
func (o Ordered[T]) IsZero() bool { return o.by == nil }

// UnmarshalJSON reads an object, and keeps the order of its keys.
func (o *Ordered[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("found %.20q, expected an object", text)
	}
	*o = Ordered[T]{by: map[string]T{}}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value T
		if err := d.Decode(&value); err != nil {
			return err
		}
		name := key.(string) // keys are
		if _, twice := o.by[name]; !twice {
			o.names = append(o.names, name)
		}
		o.by[name] = value
	}
	return nil
}

// MarshalJSON writes an object with its keys in order.
func (o Ordered[T]) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, name := range o.names {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.by[name])
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}
