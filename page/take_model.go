package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// What can be taken away of a model as it is in the editor, saved or not, and the command lines
// that do what the page does.

// usualReplicas is how many replicas a form asks for that does not say, and leastReplicas how many
// there must be, by the sort of study.
var (
	usualReplicas = map[string]int{study.Run: 1, study.Sweep: 20, study.Compare: 20}
	leastReplicas = map[string]int{study.Run: 1, study.Sweep: 1, study.Compare: 2}
)

// runOptions reads seed and replicas of a form that asks for a run.
func (s *Server) runOptions(a ask, r *study.Request) (err error) {
	if r.Sort == study.Check {
		return nil
	}
	r.Seed, r.Replicas = 1, usualReplicas[r.Sort]
	if a.Seed != "" {
		if r.Seed, err = strconv.ParseUint(a.Seed, 10, 64); err != nil {
			return wrong("seed", "%q is not a seed; expected a whole number from 0 on", a.Seed)
		}
	}
	if a.Replicas != "" {
		r.Replicas, err = strconv.Atoi(strings.NewReplacer("_", "", ",", "").Replace(a.Replicas))
	}
	if least := leastReplicas[r.Sort]; err != nil || r.Replicas < least || r.Replicas > s.limits.Replicas {
		return wrong("replicas", "%q is not a number of replicas; expected one from %d to %d", a.Replicas, least,
			s.limits.Replicas)
	}
	return nil
}

// command is the command line of a request. A text that is not in its file is read from standard
// input, beside the tables that it names.
func (s *Server) command(a ask, r *study.Request) string {
	line := r.Command()
	if dir := path.Dir(s.fileName(a.Path)); !a.Same && len(r.Files) > 0 && dir != "." {
		line = "(cd " + format.Word(dir) + " && " + strings.Replace(line, " < model.yaml", " ) < model.yaml", 1)
	}
	return line
}

// commands are the command lines that explain and run a model as it is asked for; of an ask that
// makes no sense only the first, and why.
func (s *Server) commands(a ask, plain *population.Model) (lines, wrong string) {
	check := &study.Request{Sort: study.Check, Model: s.fileName(a.Path), Files: plain.Files()}
	if !a.Same {
		check.Model = study.StandardInput
	}
	lines = s.command(a, check)
	_, r, err := s.compiledFrom(plain, &a, study.Run)
	if err != nil {
		return lines, strings.TrimSpace(err.Error())
	}
	return lines + "\n" + s.command(a, r), ""
}

// modelCommands answers a script with the command lines, as fields are changed.
func (s *Server) modelCommands(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return badForm(err)
	}
	a, err := s.asked(r.PostForm)
	if err != nil {
		return err
	}
	var lines, wrong string
	err = s.inTurn(r.Context(), func() error {
		m, err := s.plain(a)
		if err != nil {
			lines, wrong = "", "there is something wrong with the file"
			return nil
		}
		lines, wrong = s.commands(a, m)
		return nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]string{"commands": lines, "wrong": wrong})
}

// memoryWords says how much memory a run takes, as almanac check does.
func memoryWords(m *population.Model) string {
	start, most := m.Memory(population.Options{})
	return fmt.Sprintf("A run takes about %s of memory at the start, and up to %s if something is about to happen to "+
		"everybody.", format.Bytes(start), format.Bytes(most))
}

// modelFile answers with a file of the text in the editor: its diagram, what it means, or the text
// itself.
func (s *Server) modelFile(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return badForm(err)
	}
	a, err := s.asked(r.PostForm)
	if err != nil {
		return err
	}
	name := r.PathValue("name")
	var body []byte
	err = s.inTurn(r.Context(), func() error {
		if name == "model.yaml" { // also one with mistakes
			body = []byte(a.Source)
			return nil
		}
		m, err := s.plain(a)
		if err != nil {
			return err
		}
		switch name {
		case "diagram.svg", "diagram.png":
			var drawn vector.Drawing
			if drawn, err = diagramOf(r.Context(), m); err != nil {
				return err
			}
			if body = drawn.SVG(); name == "diagram.png" {
				body, err = plot.PNG(drawn)
			}
		case "meaning.txt":
			body = []byte(m.Explain() + "\n" + memoryWords(m) + "\n")
		default:
			err = problemf(http.StatusNotFound, "a model has no file %q", name)
		}
		return err
	})
	var problems population.Problems
	if errors.As(err, &problems) { // what was typed is not lost
		return s.showModel(w, r, http.StatusUnprocessableEntity, a, problems)
	}
	if err != nil {
		return err
	}
	asFile(w, name)
	return second(w.Write(body))
}
