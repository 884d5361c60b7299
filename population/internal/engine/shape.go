package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A Shape is what the arrays of a saved state are indexed by, in names: another program can go on
// with the state if it has the same structure, whatever numbers its own arrays have.
type Shape struct {
	Unit        string              `json:"unit"`
	Start       float64             `json:"start"`
	Tolerance   float64             `json:"tolerance"`
	States      []string            `json:"states"`
	Attributes  []savedAttribute    `json:"attributes"` // and machines
	Machines    []string            `json:"machines"`
	Numbers     []string            `json:"numbers"`
	Since       []string            `json:"since"`
	Sources     int                 `json:"sources"`
	StateColumn int                 `json:"state_column"` // of timers
	Columns     int                 `json:"columns"`
	Timers      []int               `json:"timers"` // by state
	MixesBy     []bool              `json:"mixes_by"`
	Sizes       []int               `json:"sizes"`
	Counted     []string            `json:"counted"`
	Flows       []string            `json:"flows"`
	Names       []string            `json:"names"`
	Groups      []string            `json:"groups"`
	Watched     []string            `json:"watched"`
	Windows     []string            `json:"windows"`
	Triggered   []string            `json:"triggered"`
	Scheduled   []savedIntervention `json:"scheduled"` // those that may have been carried out
	Outcomes    []string            `json:"outcomes"`
	Times       bool                `json:"times"` // person-time is recorded
	Supplies    []string            `json:"supplies"`
	Values      []string            `json:"values"`
	Rows        []float64           `json:"rows"` // times of the rows
	Places      []string            `json:"places,omitempty"`
	Waits       []string            `json:"waits,omitempty"` // the queues that are recorded
	Networks    []string            `json:"networks,omitempty"`
	Logs        []savedLog          `json:"logs,omitempty"`
	// What is observed: names of observations, and of the times that are recorded of each individual.
	Observations []string `json:"observations,omitempty"`
	Tree         bool     `json:"tree,omitempty"`
	LineList     bool     `json:"line_list,omitempty"`
	People       []string `json:"people,omitempty"`

	Phases []map[string]string `json:"phases"`
}

type savedAttribute struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

type savedIntervention struct {
	What string  `json:"what"`
	At   float64 `json:"at"`
}

// asText returns a value as JSON, which tells whether two are alike.
func asText(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		panic("population: " + err.Error())
	}
	return string(b)
}

// ShapeOf returns the shape of a program.
func ShapeOf(m *program.Program) Shape {
	s := Shape{
		Unit: m.Unit, Start: m.Start, Tolerance: m.TimeTolerance, States: m.States, StateColumn: m.StateColumn,
		Sources: len(m.FirstPhase.Immigration),
		Columns: m.StateColumn + m.MaxStateTimers, MixesBy: m.MixesBy[:len(m.Listed())], Sizes: m.Sizes, Counted: m.Counted,
		Names: m.CountedNames, Outcomes: m.OutcomeNames(), Times: m.RecordsTime, Supplies: m.Supplies, Rows: m.RecordTimes,
		Places: placeNames(m), Waits: waitNames(m), Networks: networkNames(m), Logs: savedLogs(m),
		Observations: m.ObservationNames(), Tree: m.Tree != nil, LineList: m.LineList != nil, People: peopleTimes(m),
	}
	for _, a := range m.Listed() {
		s.Attributes = append(s.Attributes, savedAttribute(a))
	}
	s.Machines = m.Listed()[m.Plain():].Names()
	for i := range m.Numbers {
		s.Numbers = append(s.Numbers, m.Numbers[i].Name)
	}
	for i := range m.Since {
		s.Since = append(s.Since, m.Since[i].Words)
	}
	for i := range m.FirstPhase.States {
		s.Timers = append(s.Timers, m.FirstPhase.States[i].Timers)
	}
	for _, f := range m.Flows {
		s.Flows = append(s.Flows, f.String())
	}
	for _, g := range m.Groups {
		s.Groups = append(s.Groups, strings.Join(g.Attributes, ",")+"="+strings.Join(g.Values, ","))
	}
	for _, w := range m.Watched {
		s.Watched = append(s.Watched, asText(w))
	}
	for _, w := range m.Windows {
		key := struct {
			Flow, Name, Watched string
			Over                float64
		}{Over: w.Over}
		if w.Flow >= 0 {
			key.Flow = s.Flows[w.Flow]
		} else {
			key.Name = m.CountedNames[w.Name]
		}
		if w.Watched >= 0 {
			key.Watched = s.Watched[w.Watched]
		}
		s.Windows = append(s.Windows, asText(key))
	}
	for _, d := range m.Triggered {
		s.Triggered = append(s.Triggered, d.What)
	}
	for i := range m.Scheduled {
		if m.Scheduled[i].At <= m.Stop-m.Start+m.TimeTolerance {
			s.Scheduled = append(s.Scheduled, savedIntervention{m.Scheduled[i].What, m.Scheduled[i].At})
		}
	}
	for _, v := range m.Values {
		s.Values = append(s.Values, v.Name)
	}
	for _, t := range m.Phases {
		s.Phases = append(s.Phases, t.Settings)
	}
	return s
}

// differs says in which part of its structure a program with the shape o is another than the saved
// one; "" if in none.
func (s *Shape) differs(o *Shape) string {
	lists := func(what string, saved, now []string) string {
		if slices.Equal(saved, now) {
			return ""
		}
		for _, name := range now {
			if !slices.Contains(saved, name) {
				return fmt.Sprintf("the model has the %s %s, which the saved one has not", what, name)
			}
		}
		for _, name := range saved {
			if !slices.Contains(now, name) {
				return fmt.Sprintf("the saved model has the %s %s, which this one has not", what, name)
			}
		}
		return fmt.Sprintf("the %ss come in another order than in the saved model", what)
	}
	names := func(all []savedAttribute) (names []string) {
		for _, a := range all {
			names = append(names, a.Name)
		}
		return names
	}
	switch {
	case s.Unit != o.Unit:
		return fmt.Sprintf("its unit of time is the %s, and that of the saved model the %s", o.Unit, s.Unit)
	case s.Start != o.Start:
		return fmt.Sprintf("it starts at %.12g, and the saved model at %.12g", o.Start, s.Start)
	}
	for _, found := range []string{
		lists("state", s.States, o.States), lists("machine", s.Machines, o.Machines),
		lists("attribute", names(s.Attributes), names(o.Attributes)), lists("number", s.Numbers, o.Numbers),
		lists("kind of places", s.Places, o.Places), lists("network", s.Networks, o.Networks),
	} {
		if found != "" {
			return found
		}
	}
	for i, a := range s.Attributes {
		if found := lists("value of "+a.Name, a.Values, o.Attributes[i].Values); found != "" {
			return found
		}
	}
	if found := logsDiffer(s.Logs, o.Logs); found != "" {
		return found
	}
	if found := s.observersDiffer(o); found != "" {
		return found
	}
	if s.Sources != o.Sources {
		return fmt.Sprintf("it has %s of immigration, and the saved model %d", format.Count(o.Sources, "source"), s.Sources)
	}
	if !slices.Equal(s.MixesBy, o.MixesBy) {
		return "contacts mix by other attributes than in the saved model"
	}
	for i, state := range s.States {
		if s.Timers[i] != o.Timers[i] {
			return fmt.Sprintf("the clocks of the state %s are kept in another way than in the saved model, since an "+
				"intervention sets what they depend on", state)
		}
	}
	if s.Columns != o.Columns || s.StateColumn != o.StateColumn {
		return "its clocks are kept in another way than in the saved model, since an intervention sets what they depend on"
	}
	for _, words := range o.Since {
		if !slices.Contains(s.Since, words) {
			return fmt.Sprintf("the time since %s is not known in the saved state", words)
		}
	}
	for _, g := range o.Groups {
		if !slices.Contains(s.Groups, g) {
			return fmt.Sprintf("it records the group %s, which the saved run did not; save the state with it in record: by", g)
		}
	}
	for _, name := range o.Outcomes {
		if !slices.Contains(s.Outcomes, name) {
			return fmt.Sprintf("it has the outcome %s, which the saved model has not", name)
		}
	}
	if o.Times && !s.Times {
		return "it records person-time, and the saved run did not"
	}
	for _, list := range []struct {
		what       string
		saved, now []string
	}{{"flow", s.Flows, o.Flows}, {"name", s.Names, o.Names}, {"supply", s.Supplies, o.Supplies}} {
		for _, name := range list.saved {
			if !slices.Contains(list.now, name) {
				return fmt.Sprintf("the saved model counts the %s %s, which this one has not", list.what, name)
			}
		}
	}
	return ""
}

// sound reports whether the lists of a shape that was read belong together.
func (s *Shape) sound() bool {
	return len(s.Timers) == len(s.States) && len(s.MixesBy) == len(s.Attributes) && len(s.Phases) > 0 &&
		len(s.Rows) > 0 && s.Columns >= s.StateColumn && s.StateColumn >= 0 && s.Columns < 1<<20 &&
		len(s.Counted) >= len(s.States) && s.Sources >= 0 && s.Sources < math.MaxInt32 && s.Tolerance >= 0
}

// phaseOf returns the phase of a program in which its parameters have the values that they have in
// a phase of the saved one. Parameters that only this program sets have those of its start. If
// there are several, as after an intervention that sets a parameter back, it is the one with the
// same number, or the first.
func (s *Shape) phaseOf(m *program.Program, phase int) (*program.Phase, error) {
	if all := s.phasesOf(m, phase); len(all) > 0 {
		return all[0], nil
	}
	saved, difference := s.Phases[phase], ""
	for name, value := range m.FirstPhase.Settings {
		if was, known := saved[name]; known && value != was {
			difference = fmt.Sprintf("%s is %s, and the saved model has come to %s", name, value, was)
		}
	}
	return nil, fmt.Errorf("no intervention of the model leads to the values that parameters have in the saved state: %s",
		difference)
}

// phasesOf returns all such phases.
func (s *Shape) phasesOf(m *program.Program, phase int) (all []*program.Phase) {
	saved := s.Phases[phase]
	for k, t := range m.Phases {
		alike := true
		for name, value := range t.Settings {
			was, known := saved[name]
			if !known {
				was = m.FirstPhase.Settings[name]
			}
			alike = alike && value == was
		}
		switch {
		case alike && k == phase:
			all = append([]*program.Phase{t}, all...)
		case alike:
			all = append(all, t)
		}
	}
	return all
}

// phase returns the phase that a saved run goes on in: one that the interventions to come know.
func (s *Saved) phase(m *program.Program) (*program.Phase, error) {
	first, err := s.run.Shape.phaseOf(m, s.run.Phase)
	if err != nil {
		return nil, err
	}
	next, err := s.carriedOut(m)
	if err != nil {
		return nil, err
	}
	for _, t := range s.run.Shape.phasesOf(m, s.run.Phase) {
		unknown := func(d *program.Intervention) bool { return d.Effects[t] == nil }
		if !slices.ContainsFunc(m.Triggered, unknown) &&
			(next == len(m.Scheduled) || !unknown(m.Scheduled[next].Intervention)) {
			return t, nil
		}
	}
	return first, nil
}

// rowsUpTo returns, for each row of a program that is not after now, the saved row of that time.
func (s *Shape) rowsUpTo(m *program.Program, now float64, rows int) (from []int, err error) {
	tolerance := max(s.Tolerance, m.TimeTolerance)
	for _, at := range m.RecordTimes {
		if at > now+tolerance {
			break
		}
		k := slices.IndexFunc(s.Rows, func(t float64) bool { return math.Abs(t-at) <= 2*tolerance })
		if k < 0 || k >= rows {
			return nil, fmt.Errorf("the model records %s %.12g, and the saved run did not; record as it did, up to %.12g",
				m.Unit, format.Tidy(m.Start+at), format.Tidy(m.Start+now))
		}
		from = append(from, k)
	}
	return from, nil
}
