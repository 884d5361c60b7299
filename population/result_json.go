package population

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// valueSeries is a series of a value that may be no number, as 0/0 is none: that is written as
// null.
func valueSeries(s Series) any {
	return struct {
		Mean   Deviations `json:"mean"`
		SD     Deviations `json:"sd"`
		Min    Deviations `json:"min"`
		Max    Deviations `json:"max"`
		Q05    Deviations `json:"q05"`
		Q25    Deviations `json:"q25"`
		Median Deviations `json:"median"`
		Q75    Deviations `json:"q75"`
		Q95    Deviations `json:"q95"`
	}{s.Mean, s.SD, s.Min, s.Max, s.Q05, s.Q25, s.Median, s.Q75, s.Q95}
}

// MarshalJSON returns what [Result.WriteJSON] writes.
func (r *Result) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := r.WriteJSON(&b)
	return b.Bytes(), err
}

// WriteJSON writes the result as almanac run --json does, with states, flows and groups in the
// order of the file. Groups can be many, so they are written as they are worked out.
// results.Summary reads it.
func (r *Result) WriteJSON(w io.Writer) error {
	m, rows := r.Model, r.Rows()
	j := jsonText{w: w}
	j.object(func() {
		j.put("model", m.program.Name)
		j.put("seed", r.Seed)
		j.put("replicas", r.Replicas)
		j.put("done", r.Done)
		j.put("incomplete", r.Incomplete)
		if r.Stopped != nil {
			j.put("stopped", r.why())
		}
		j.put("unit", m.program.Unit)
		j.put("events", r.Events)
		j.put("person_years", r.PersonYears)
		j.put("version", r.Version)
		j.field("parameters", func() {
			j.object(func() {
				for _, p := range m.Parameters() {
					if d := r.drawn; d != nil && slices.Contains(d.Parameters, p.Name) {
						p.Value = "drawn from " + d.From
					}
					j.put(p.Name, p.Value)
				}
			})
		})
		if d := r.drawn; d != nil {
			j.put("drawn", d)
		}
		j.put("times", r.Times[:rows])
		if dates := m.Dates(); dates != nil {
			j.put("dates", dates[:rows])
		}
		r.counts(&j)
		if values := m.Values(); len(values) > 0 {
			j.field("values", func() {
				j.object(func() {
					for i, name := range values {
						j.put(name, valueSeries(r.Value(i)))
					}
				})
			})
		}
		r.supplies(&j)
		r.places(&j)
		r.queues(&j)
		r.networks(&j)
		if m.program.Tree != nil {
			j.put("tree", r.Tree())
		}
		if len(m.program.Groups) > 0 {
			j.field("by", func() { r.byGroup(&j) })
		}
		j.field("peaks", func() {
			j.object(func() {
				for i, s := range m.program.States {
					count, time := r.Peak(i)
					j.field(s, func() {
						j.object(func() {
							j.put("count", count)
							j.put("time", time)
						})
					})
				}
			})
		})
	})
	j.flush()
	return j.err
}

// why says why a run is incomplete.
func (r *Result) why() string {
	if errors.Is(r.Stopped, context.Canceled) || errors.Is(r.Stopped, context.DeadlineExceeded) {
		return "interrupted"
	}
	return r.Stopped.Error()
}

// counts writes the series of all individuals or of a group.
func (r *Result) counts(j *jsonText) {
	m := r.Model
	all := func(key string, n int, name func(int) string, series func(int) Series) {
		j.field(key, func() {
			j.object(func() {
				for i := range n {
					j.put(name(i), series(i))
				}
			})
		})
	}
	flows, machines := len(m.program.Flows), m.program.Machines
	if len(machines) > 0 {
		flows = machines[0].FirstFlow
	}
	flow := func(i int) string { return m.program.Flows[i].String() }
	named := func(i int) string { return m.program.CountedNames[i] }
	all("states", len(m.program.States), func(i int) string { return m.program.States[i] }, r.State)
	j.put("total", r.Total())
	all("flows", flows, flow, r.Flow)
	if len(m.program.CountedNames) > 0 {
		all("named", len(m.program.CountedNames), named, r.Named)
	}
	if m.RecordsIncidence() {
		all("incidence", flows, flow, r.Incidence)
		if len(m.program.CountedNames) > 0 {
			all("named_incidence", len(m.program.CountedNames), named, r.NamedIncidence)
		}
	}
	if len(m.program.Outcomes) > 0 {
		all("outcomes", len(m.program.Outcomes), func(i int) string { return m.program.Outcomes[i].Name }, r.Outcome)
	}
	if m.program.RecordsTime {
		all("time", len(m.program.States), func(i int) string { return m.program.States[i] }, r.TimeIn)
	}
	r.observed(j)
	if len(machines) == 0 {
		return
	}
	j.field("machines", func() {
		j.object(func() {
			for i := range machines {
				one, a := &machines[i], &m.program.Attributes[machines[i].Attribute]
				j.field(a.Name, func() {
					j.object(func() {
						flow := func(i int) string { return strings.TrimPrefix(flow(one.FirstFlow+i), a.Name+"=") }
						all("states", len(a.Values), func(i int) string { return a.Values[i] },
							func(i int) Series { return r.State(one.FirstCount + i) })
						all("flows", len(one.FlowsTo), flow, func(i int) Series { return r.Flow(one.FirstFlow + i) })
						if m.RecordsIncidence() {
							all("incidence", len(one.FlowsTo), flow, func(i int) Series { return r.Incidence(one.FirstFlow + i) })
						}
						if m.program.RecordsTime {
							all("time", len(a.Values), func(i int) string { return a.Values[i] },
								func(i int) Series { return r.TimeIn(one.FirstCount + i) })
						}
					})
				})
			}
		})
	})
}

// byGroup writes the series of each group, under its attributes.
func (r *Result) byGroup(j *jsonText) {
	m := r.Model
	j.object(func() {
		for _, g := range m.program.Groupings {
			j.field(Group(m.program.Groups[g.First]).By(), func() {
				j.object(func() {
					for k := g.First; k < g.First+g.Groups; k++ {
						j.field(Group(m.program.Groups[k]).String(), func() { j.object(func() { r.In(k).counts(j) }) })
					}
				})
			})
		}
	})
}

// A jsonText writes JSON with keys in a given order.
type jsonText struct {
	w     io.Writer
	err   error  // the first write error
	b     []byte // not yet written
	comma bool   // a comma comes before the next field
}

func (j *jsonText) flush() {
	if j.err == nil {
		_, j.err = j.w.Write(j.b)
	}
	j.b = j.b[:0]
}

func (j *jsonText) object(fields func()) {
	j.b, j.comma = append(j.b, '{'), false
	fields()
	j.b, j.comma = append(j.b, '}'), true
}

func (j *jsonText) field(key string, value func()) {
	if j.comma {
		j.b = append(j.b, ',')
	}
	j.value(key)
	j.b = append(j.b, ':')
	value()
	j.comma = true
	if len(j.b) > 1<<16 {
		j.flush()
	}
}

// put writes a field that encoding/json can encode.
func (j *jsonText) put(key string, x any) { j.field(key, func() { j.value(x) }) }

func (j *jsonText) value(x any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // flows are written a->b
	if err := e.Encode(x); err != nil && j.err == nil {
		j.err = err
	}
	j.b = append(j.b, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})...)
}
