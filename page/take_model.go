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
)

// What can be taken away of a model as it is in the editor, saved or not, and the command lines that do what the page does.

// runOptions reads seed and replicas of a form; usual is how many replicas there are if it does not say, and least how many there may be.
func (s *Server) runOptions(a ask, usual, least int) (o population.Options, err error) {
	o = population.Options{Seed: 1, Replicas: usual}
	if a.Seed != "" {
		if o.Seed, err = strconv.ParseUint(a.Seed, 10, 64); err != nil {
			return o, wrong("seed", "%q is not a seed; expected a whole number from 0 on", a.Seed)
		}
	}
	if a.Replicas != "" {
		o.Replicas, err = strconv.Atoi(strings.NewReplacer("_", "", ",", "").Replace(a.Replicas))
	}
	if err != nil || o.Replicas < least || o.Replicas > s.limits.Replicas {
		return o, wrong("replicas", "%q is not a number of replicas; expected one from %d to %d", a.Replicas, least, s.limits.Replicas)
	}
	return o, nil
}

// command is a command line with the model of an ask behind its first word. A text that is not in its file is read from standard input, beside the tables
// that it names.
func (s *Server) command(name string, a ask, m *population.Model, words []string) string {
	file := s.fileName(a.Path)
	if !a.Same {
		file = "-"
	}
	line := append([]string{name, format.Word(file)}, words...)
	if dir := path.Dir(s.fileName(a.Path)); !a.Same && len(m.Files()) > 0 && dir != "." {
		line = append(append([]string{"(cd", format.Word(dir), "&&"}, line...), ")")
	}
	if !a.Same {
		line = append(line, "< model.yaml")
	}
	return strings.Join(line, " ")
}

// runCommand is the command line of a run; words are those that ask for other values.
func (s *Server) runCommand(a ask, m *population.Model, o population.Options, words []string, drawn *population.Drawn) string {
	words = append([]string{"--seed", strconv.FormatUint(o.Seed, 10), "--replicas", strconv.Itoa(o.Replicas)}, words...)
	if drawn != nil {
		words = append(words, "--from", format.Word(drawn.From))
	}
	return s.command("almanac run", a, m, words)
}

// commands are the command lines that explain and run a model as it is asked for; of an ask that makes no sense only the first, and why.
func (s *Server) commands(a ask, plain *population.Model) (lines, wrong string) {
	lines = s.command("almanac check", a, plain, nil)
	o, err := s.runOptions(a, 1, 1)
	var m *population.Model
	var words []string
	if err == nil {
		m, words, err = s.compiledFrom(plain, &a)
	}
	if err != nil {
		return lines, strings.TrimSpace(err.Error())
	}
	return lines + "\n" + s.runCommand(a, m, o, words, nil), ""
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
	return fmt.Sprintf("A run takes about %s of memory at the start, and up to %s if something is about to happen to everybody.", format.Bytes(start), format.Bytes(most))
}

// modelFile answers with a file of the text in the editor: its diagram, what it means, or the text itself.
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
