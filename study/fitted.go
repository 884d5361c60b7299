package study

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// A Fitted is how the model of a fit was changed: by --size, --scenario and --set. Studies with its
// sample run that model, and scenarios and values of theirs change it further.
type Fitted struct {
	Size     string                 `json:"size,omitempty"`
	Scenario string                 `json:"scenario,omitempty"`
	Set      []population.Parameter `json:"set,omitempty"`
}

// readFitted reads how the model of a sample was changed from the study.json beside it, if it is
// that of a fit.
func (f *From) readFitted(report []byte) {
	request, err := os.ReadFile(filepath.Join(filepath.Dir(f.path), FileName))
	if err != nil || len(report) == 0 {
		return
	}
	if r, err := ReadJSON(request); err == nil && r.Kind == Fit {
		fitted := Fitted{r.Size, r.Scenario, r.Set}
		if fitted.String() != "" {
			f.Fitted = &fitted
		}
	}
}

// fitted returns how the model of the sample's fit was changed; nil if it was not, or if that is
// not known.
func (f *From) fitted() *Fitted {
	switch {
	case f == nil:
		return nil
	case f.Past != nil && f.Past.Fitted.String() != "":
		return &f.Past.Fitted
	case f.Past != nil:
		return nil
	}
	return f.Fitted
}

// String lists the changes as flags.
func (f *Fitted) String() string {
	var words []string
	if f.Size != "" {
		words = append(words, "--size "+f.Size)
	}
	if f.Scenario != "" {
		words = append(words, "--scenario "+f.Scenario)
	}
	for _, s := range f.Set {
		words = append(words, "--set "+s.Name+"="+strings.TrimSpace(s.Value))
	}
	return strings.Join(words, ", ")
}

// base is the change that makes the model of a file that of the fit, beneath other changes.
func (f *Fitted) base() (population.Change, error) {
	var changes []population.Change
	if f.Scenario != "" {
		changes = append(changes, population.Scenario(f.Scenario))
	}
	changes = append(changes, sets(f.Set)...)
	size, err := (&Request{Size: f.Size}).size()
	if err != nil {
		return nil, err
	}
	if size != nil { // as --size, it has precedence over the others, but a scenario of the study may change it
		changes = append(changes, population.Set("population.size", fmt.Sprint(*size)))
	}
	return population.Base(changes...), nil
}

// afresh is the request as one that starts afresh, with the model of the fit. Unlike those of a run
// that goes on with the fit, its values can be compared.
func (s *Study) afresh(of *Fitted) *Request {
	r := *s.Request
	r.Posterior = &From{Fitted: of}
	return &r
}

// matters reports whether the model of the fit is another one than that of the file.
func (s *Study) matters(of *Fitted) bool {
	asFitted, err := s.afresh(of).Compile()
	asFile, failed := s.afresh(nil).Compile()
	return err != nil || failed != nil || !sameModel(asFitted, asFile)
}

// scenarioOfFit returns the scenario and the values that the fit had, if they are others than those
// of the file; otherwise nil. What a scenario of a comparison does not name is then as in the fit.
func (s *Study) scenarioOfFit() *Fitted {
	of := s.Posterior.fitted()
	if of == nil || of.Scenario == "" && len(of.Set) == 0 || !s.matters(&Fitted{Scenario: of.Scenario, Set: of.Set}) {
		return nil
	}
	return of
}

// asInFit reports for each scenario of a comparison whether it changes nothing of a fit that had a
// scenario or values of its own.
func (s *Study) asInFit(of *Fitted) []bool {
	all := make([]bool, len(s.Compared))
	if of == nil {
		return all
	}
	r := s.afresh(of)
	plain, err := r.Compile()
	for i, name := range s.Compared {
		m, failed := r.Compile(population.Scenario(name))
		all[i] = err == nil && failed == nil && sameModel(plain, m)
	}
	return all
}

// sameModel reports whether two models of one file are the same.
func sameModel(a, b *population.Model) bool {
	x, y := a.Parameters(), b.Parameters()
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return a.Explain() == b.Explain()
}

// Labels are the names of the compared scenarios in tables and pictures.
func (s *Study) Labels() []string {
	labels, same := make([]string, len(s.Compared)), s.asInFit(s.scenarioOfFit())
	for i, name := range s.Compared {
		if labels[i] = name; same[i] {
			labels[i] += " (as in the fit)"
		}
	}
	return labels
}

// noteFitted notes with what the fit was made, if scenarios are compared that begin with that.
func (s *Study) noteFitted() {
	of := s.scenarioOfFit()
	if of == nil {
		return
	}
	same := s.asInFit(of)
	note := fmt.Sprintf("--from: the fit was made with %s: what a scenario does not name is as in the fit, not as in the "+
		"file", of)
	var names []string
	for i, name := range s.Compared {
		if same[i] {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
	case 1:
		note += "; " + names[0] + " is as in the fit"
	default:
		note += "; " + strings.Join(names, " and ") + " are as in the fit, and do not differ"
	}
	s.Notes = append(s.Notes, note)
}

// notePassed notes the interventions that the values of a model after the last data point come too
// late for, or undo; who says whose values they are.
func (s *Study) notePassed(m *population.Model, who string) {
	flag := "--from: "
	switch {
	case s.state != nil:
		flag = "--from-state: "
	case s.Posterior == nil || s.Posterior.Past == nil:
		return
	}
	for _, text := range modelfit.Passed(m) {
		if !slices.Contains(s.Notes, flag+text) { // of values that hold everywhere
			s.Notes = append(s.Notes, flag+who+text)
		}
	}
}
