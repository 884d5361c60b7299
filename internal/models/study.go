// Package models makes model files a kind of model that package ensemble can run: on any machine, from what a job carries.
package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/population"
)

// Kind is the name of the kind.
const Kind = "population"

// The sorts of studies.
const (
	Sweep   = "sweep"   // points are combinations of values
	Compare = "compare" // one point, at which a replica is run in every scenario
	Run     = "run"     // one point, of which every replica is kept as a whole
)

// A Study is all that workers need to know of a job, and what those who put its results together do. It carries what is in files, and no
// paths.
type Study struct {
	Sort   string            `json:"sort"`
	Name   string            `json:"name"` // of the model file, without directories
	Source []byte            `json:"source"`
	Files  map[string][]byte `json:"files,omitempty"` // tables that the model names

	Size     *int        `json:"size,omitempty"`
	Until    *string     `json:"until,omitempty"`
	Scenario *string     `json:"scenario,omitempty"`
	Set      [][2]string `json:"set,omitempty"`

	Axes      []*design.Axis `json:"axes,omitempty"`
	Sampled   bool           `json:"sampled,omitempty"`
	Scenarios []string       `json:"scenarios,omitempty"` // of a comparison; the first is what the others are compared with
	Outputs   []string       `json:"outputs,omitempty"`
	Series    bool           `json:"series,omitempty"` // all counts over time are told, too

	From *From `json:"from,omitempty"` // of which each replica draws values of parameters

	// Read reads a table that is not yet among the files, where the study begins: Model adds it to them. Elsewhere it is nil.
	Read func(name string) ([]byte, error) `json:"-"`
}

// Payload is the study as a job carries it.
func (s *Study) Payload() ([]byte, error) {
	data, err := json.Marshal(s)
	if err == nil && len(data) > ensemble.MaxPayload {
		err = fmt.Errorf("the model with its tables has %d bytes; %d are the most", len(data), ensemble.MaxPayload)
	}
	return data, err
}

// Read reads a study from a job's payload, which may be of any program: what it returns can be worked with.
func Read(payload []byte) (*Study, error) {
	s := new(Study)
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields() // what is not understood could change the numbers
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("a study that cannot be read: %w", err)
	}
	switch {
	case slices.Contains(s.Axes, nil):
		return nil, errors.New("a study with an axis that is none")
	case s.From != nil && !s.From.sound():
		return nil, errors.New("a study with a sample of parameters that is none")
	case s.Sort == Compare && len(s.Scenarios) < 2:
		return nil, fmt.Errorf("a comparison of %d scenarios; it needs at least 2", len(s.Scenarios))
	}
	return s, nil
}

// Model compiles the model with the values of a point, or in a scenario.
func (s *Study) Model(set map[string]string, scenario string) (*population.Model, error) {
	changes := []population.Change{population.Files(func(name string) ([]byte, error) {
		if data, ok := s.Files[name]; ok {
			return data, nil
		}
		if s.Read == nil {
			return nil, fmt.Errorf("the table %s is not with the study", name)
		}
		data, err := s.Read(name)
		if err == nil {
			if s.Files == nil {
				s.Files = map[string][]byte{}
			}
			s.Files[name] = data
		}
		return data, err
	})}
	if s.Size != nil {
		changes = append(changes, population.Size(*s.Size))
	}
	if s.Until != nil {
		changes = append(changes, population.Until(*s.Until))
	}
	switch {
	case scenario != "":
		changes = append(changes, population.Scenario(scenario))
	case s.Scenario != nil:
		changes = append(changes, population.Scenario(*s.Scenario))
	}
	for _, kv := range s.Set {
		changes = append(changes, population.Set(kv[0], kv[1]))
	}
	for _, a := range s.Axes {
		if value, ok := set[a.Name]; ok {
			changes = append(changes, population.Set(a.Name, value))
		}
	}
	return population.Compile(s.Name, s.Source, changes...)
}

// Values are those of a point, in the order of the axes.
func (s *Study) Values(p ensemble.Point) []string {
	values := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		values[i] = p.Set[a.Name]
	}
	return values
}
