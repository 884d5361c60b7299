package population

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
)

// MarshalJSON returns what [Result.WriteJSON] writes.
func (r *Result) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := r.WriteJSON(&b)
	return b.Bytes(), err
}

// WriteJSON writes the result as almanac run --json does: states, flows and groups in the order of the file, which a map does not keep. What
// is recorded by group can be long, so it is written as it is worked out.
func (r *Result) WriteJSON(w io.Writer) error {
	m, rows := r.Model, r.Rows()
	j := jsonText{w: w}
	j.object(func() {
		j.field("model", func() { j.text(m.name) })
		j.field("seed", func() { j.b = strconv.AppendUint(j.b, r.Seed, 10) })
		j.field("replicas", func() { j.number(float64(r.Replicas)) })
		j.field("done", func() { j.number(float64(r.Done)) })
		j.field("incomplete", func() { j.b = strconv.AppendBool(j.b, r.Incomplete) })
		if r.Stopped != nil {
			j.field("stopped", func() { j.text(r.why()) })
		}
		j.field("unit", func() { j.text(m.unit.name) })
		j.field("events", func() { j.b = strconv.AppendUint(j.b, r.Events, 10) })
		j.field("person_years", func() { j.number(r.PersonYears) })
		j.field("version", func() { j.text(r.Version) })
		j.field("parameters", func() {
			j.object(func() {
				for _, p := range m.Parameters() {
					if d := r.Drawn; d != nil && slices.Contains(d.Parameters, p.Name) {
						p.Value = "drawn from " + d.From
					}
					j.field(p.Name, func() { j.text(p.Value) })
				}
			})
		})
		if d := r.Drawn; d != nil {
			j.field("drawn", func() {
				j.object(func() {
					j.field("from", func() { j.text(d.From) })
					j.field("rows", func() { j.number(float64(d.Rows)) })
					j.field("effective", func() { j.number(d.Effective) })
					j.field("parameters", func() { j.texts(d.Parameters) })
				})
			})
		}
		j.field("times", func() { j.numbers(r.Times[:rows]) })
		if dates := m.Dates(); dates != nil {
			j.field("dates", func() { j.texts(dates[:rows]) })
		}
		r.counts(&j)
		if len(m.groups) > 0 {
			j.field("by", func() { r.byGroup(&j) })
		}
		j.field("peaks", func() {
			j.object(func() {
				for i, s := range m.states {
					count, time := r.Peak(i)
					j.field(s, func() {
						j.object(func() {
							j.field("count", func() { j.number(count) })
							j.field("time", func() { j.number(time) })
						})
					})
				}
			})
		})
	})
	j.flush()
	return j.err
}

// why says why a run is not complete.
func (r *Result) why() string {
	if errors.Is(r.Stopped, context.Canceled) || errors.Is(r.Stopped, context.DeadlineExceeded) {
		return "interrupted"
	}
	return r.Stopped.Error()
}

// counts writes what was counted: of all, or of a group.
func (r *Result) counts(j *jsonText) {
	m := r.Model
	all := func(key string, n int, name func(int) string, series func(int) Series) {
		j.field(key, func() {
			j.object(func() {
				for i := range n {
					j.field(name(i), func() { j.series(series(i)) })
				}
			})
		})
	}
	flow := func(i int) string { return m.flows[i].String() }
	named := func(i int) string { return m.names[i] }
	all("states", len(m.states), func(i int) string { return m.states[i] }, r.State)
	j.field("total", func() { j.series(r.Total()) })
	all("flows", len(m.flows), flow, r.Flow)
	if len(m.names) > 0 {
		all("named", len(m.names), named, r.Named)
	}
	if !m.RecordsIncidence() {
		return
	}
	all("incidence", len(m.flows), flow, r.Incidence)
	if len(m.names) > 0 {
		all("named_incidence", len(m.names), named, r.NamedIncidence)
	}
}

// byGroup writes what was counted of each group, under what it is one of.
func (r *Result) byGroup(j *jsonText) {
	m := r.Model
	j.object(func() {
		for _, g := range m.groupings {
			j.field(m.groups[g.first].By(), func() {
				j.object(func() {
					for k := g.first; k < g.first+g.groups; k++ {
						j.field(m.groups[k].String(), func() { j.object(func() { r.In(k).counts(j) }) })
					}
				})
			})
		}
	})
}

// A jsonText is JSON that is being written.
type jsonText struct {
	w     io.Writer
	err   error  // the first of writing
	b     []byte // what is yet to be written
	comma bool   // another field comes after one
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
	j.text(key)
	j.b = append(j.b, ':')
	value()
	j.comma = true
	if len(j.b) > 1<<16 {
		j.flush()
	}
}

func (j *jsonText) text(s string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a flow is a->b
	_ = e.Encode(s)        // a text can be written
	j.b = append(j.b, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})...)
}

// number writes a number as package json does, and null for what is missing.
func (j *jsonText) number(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		j.b = append(j.b, "null"...)
		return
	}
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	j.b = strconv.AppendFloat(j.b, x, format, -1, 64)
	if n := len(j.b); format == 'e' && n >= 4 && string(j.b[n-4:n-1]) == "e-0" { // e-09 is written e-9
		j.b = append(j.b[:n-2], j.b[n-1])
	}
}

func (j *jsonText) numbers(all []float64) { array(j, all, j.number) }

func (j *jsonText) texts(all []string) { array(j, all, j.text) }

// array writes a list.
func array[T any](j *jsonText, all []T, one func(T)) {
	j.b = append(j.b, '[')
	for i, x := range all {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		one(x)
	}
	j.b = append(j.b, ']')
}

func (j *jsonText) series(s Series) {
	j.object(func() {
		for _, part := range []struct {
			name   string
			values []float64
		}{{"mean", s.Mean}, {"sd", s.SD}, {"min", s.Min}, {"max", s.Max}, {"q05", s.Q05}, {"q25", s.Q25}, {"median", s.Median}, {"q75", s.Q75}, {"q95", s.Q95}} {
			j.field(part.name, func() { j.numbers(part.values) })
		}
	})
}
