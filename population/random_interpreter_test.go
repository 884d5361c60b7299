//go:build soak

package population_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/internal/randommodel"
)

// The means of random models are those of another interpreter of the language, a Python program
// that prints what almanac run --json prints. There are about a thousand comparisons; one in 150,000
// of a right program exceeds 4.5 standard errors.
func TestRandomModelsOfAnotherInterpreter(t *testing.T) {
	interpreter := os.Getenv("ALMANAC_INTERPRETER")
	if interpreter == "" {
		t.Skip("there is no other interpreter; to compare with one: ALMANAC_INTERPRETER=PATH/interpreter.py " +
			"go test -tags soak -timeout 0 -run OfAnotherInterpreter ./population")
	}
	type series map[string]struct{ Mean, SD []float64 }
	const own, others = 300, 30
	compared := 0
	for seed := uint64(1); seed <= 1000 && compared < 50; seed++ {
		m := randommodel.New(seed)
		dir := t.TempDir()
		path := filepath.Join(dir, "model.yaml")
		if err := os.WriteFile(path, []byte(m.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range m.Files() {
			text, _ := m.Read(name)
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		model, err := population.Load(path)
		if err != nil {
			continue
		}
		text, err := exec.CommandContext(t.Context(), "python3", interpreter, path,
			"--replicas", strconv.Itoa(others), "--seed", "1").Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
			t.Logf("seed %d: not compared: %s", seed, lines[len(lines)-1])
			continue
		}
		r, err := model.Run(t.Context(), population.Options{Seed: seed, Replicas: own})
		if err != nil {
			continue
		}
		var other struct {
			States, Flows series
			Machines      map[string]struct{ States series }
		}
		if err := json.Unmarshal(text, &other); err != nil {
			t.Fatal(seed, err)
		}
		compared++
		last := r.Rows() - 1
		check := func(what string, s population.Series, of series) {
			is, ok := of[what]
			if !ok || len(is.Mean) == 0 {
				return
			}
			end := len(is.Mean) - 1
			spread := max(s.SD[last]*s.SD[last], is.SD[end]*is.SD[end], 1./others)
			error := math.Sqrt(spread/own + spread/others)
			if z := (s.Mean[last] - is.Mean[end]) / error; !(math.Abs(z) <= 4.5) {
				t.Errorf("seed %d: %s at the end: %v, and %v by the other interpreter, %.1f standard errors", seed, what,
					s.Mean[last], is.Mean[end], z)
			}
		}
		for k, name := range model.Counted() {
			if machine, state, ok := strings.Cut(name, "="); ok {
				check(state, r.State(k), other.Machines[machine].States)
			} else {
				check(name, r.State(k), other.States)
			}
		}
		for k, flow := range model.Flows() {
			check(flow.String(), r.Flow(k), other.Flows)
		}
	}
	if compared < 20 {
		t.Errorf("only %d models are compared", compared)
	}
}
