package population_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population"
)

// FuzzCompile takes any text for a model file. It must be refused with a reason, or be a model that
// can be explained, drawn and run, and that neither loses nor makes individuals while it runs.
func FuzzCompile(f *testing.F) {
	for _, source := range goodModels(f) {
		f.Add(source)
	}
	for _, c := range spoiltModels {
		if flag.Lookup("test.fuzz").Value.String() == "" {
			break // TestProblems has them
		}
		source := []byte(c.file(f))
		// What is long would slow the search down and show nothing new.
		if len(source) > 5000 {
			continue
		}
		// One that is not refused has its own test to fail; here it might panic, and end the test
		// for all others.
		if _, err := population.Compile("model.yaml", source); err != nil {
			f.Add(source)
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		m, err := population.Compile("model.yaml", source)
		if err != nil {
			refusedWell(t, m, err)
			return
		}
		if m.Size() > 200 {
			// A model that is too large to be run here may do as a smaller one, if the numbers at
			// its start allow it.
			if m, err = population.Compile("model.yaml", source, population.Size(200)); err != nil {
				refusedWell(t, m, err)
				return
			}
		}
		if d, err := m.Diagram(t.Context()); m.Explain() == "" || len(d) == 0 || err != nil {
			t.Error("there is nothing to say about the model")
		}
		if err := m.Check(t.Context()); err != nil {
			refusedWell(t, nil, err)
		}
		sameAgain(t, m, source)
		if len(m.Times()) <= 1000 && len(m.Groups()) <= 1000 {
			runBriefly(t, m)
		}
	})
}

// goodModels are model files that are valid, but that some name files which are not there: those of
// tests and the examples.
func goodModels(tb testing.TB) (all [][]byte) {
	for _, source := range []string{
		strings.Replace(baseModel, "size: 1000", "size: 100", 1),
		peopleModel,
		groupsModel,
		languageModel,
		bandsModel,
		population.Busy["bands"],
		population.Busy["machines"],
		population.Busy["outcomes"],
		population.Busy["supplies"],
		population.Busy["observed"],
		suppliesModel,
		fmt.Sprintf(districts, inlineDistricts...),
		fmt.Sprintf(districts, filedDistricts...), // the files are not there
		population.Busy["batches"],
		batchesModel,
		population.Busy["since"],
		population.Busy["numbers"],
		population.Busy["places"],
		placesModel,
		tracingModel,
		population.Busy["tracing"],
		fileModel, // the file is not there
		population.Busy["networks"],
		networksModel,
		strings.NewReplacer("2020-03-01", "0", "2020-03-20", "19 days", "2020-04-15", "45", "2020-03-10",
			"9").Replace(languageModel),
		strings.Replace(withStudies, "record: {every: 1 day}",
			"record: {every: 1 day, by: [region, [region]], incidence: true}", 1),
		strings.Replace(withStudies, "record: {every: 1 day}",
			"record: {every: 1 day, by: region, incidence: true}", 1),
	} {
		all = append(all, []byte(source))
	}
	examples, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(examples) == 0 {
		tb.Fatal("there are no examples", err)
	}
	for _, path := range examples {
		source, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, source)
	}
	return all
}

// refusedWell checks that a refusal says what is wrong.
func refusedWell(t *testing.T, m *population.Model, err error) {
	t.Helper()
	var problems population.Problems
	switch {
	case m != nil:
		t.Error("there is a model beside the problems")
	case !errors.As(err, &problems):
		t.Errorf("error of type %T: %v", err, err)
	case len(problems) == 0:
		t.Error("refused without a reason")
	}
	for _, p := range problems {
		if strings.TrimSpace(p.Message) == "" || p.File == "" || p.Line < 0 || p.Line > 0 && p.Column < 1 {
			t.Errorf("a problem without a message or a place: %#v", p)
		}
	}
}

// sameAgain checks that parameters are written so that they can be set to what they are.
func sameAgain(t *testing.T, m *population.Model, source []byte) {
	t.Helper()
	asked := []population.Change{population.Size(m.Size())}
	for _, p := range m.Parameters() {
		if len(p.Value) < 1<<16 {
			asked = append(asked, population.Set(p.Name, p.Value))
		}
	}
	again, err := population.Compile("model.yaml", source, asked...)
	if err != nil {
		t.Fatalf("the model is refused with its own values: %v", err)
	}
	if a, b := m.Parameters(), again.Parameters(); !slices.Equal(a, b) {
		t.Errorf("parameters %v become %v", a, b)
	}
	if a, b := m.Explain(), again.Explain(); a != b {
		t.Errorf("what is explained as\n%s\nbecomes\n%s", a, b)
	}
}

// FuzzSet takes any name and value for what is set in a good model. It must be refused with a
// reason that names it, or do.
func FuzzSet(f *testing.F) {
	f.Add("beta", "0.3 per day")
	f.Add("stay", "{exactly: 5 days}")
	for _, name := range []string{"population.size", "population.start", "population.start.infectious", "population.most",
		"attributes.region.north", "attributes.region", "population..", "attributes."} {
		for _, value := range []string{"5", "20%", "rest", "{infectious: 5, susceptible: rest}", "[1, 2]", "&a {x: *a}", "\t",
			"--- a\n--- b"} {
			f.Add(name, value)
		}
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		m, err := population.Compile("model.yaml", []byte(withStudies), population.Set(name, value),
			population.Scenario("slow"))
		if err != nil {
			refusedWell(t, m, err)
			return
		}
		if m.Size() <= 10_000 {
			runBriefly(t, m)
		}
	})
}

// runBriefly runs a model for 50 ms at most, and counts the individuals if it comes to its end.
func runBriefly(t *testing.T, m *population.Model) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	// A run looks at its context every few milliseconds. One that goes on for much longer than it
	// may is stopped by ending its goroutine, before it takes all memory.
	latest := time.Now().Add(20 * time.Second)
	var late atomic.Bool
	result, err := m.Run(ctx, population.Options{Seed: 1, Workers: 1, OnEvent: func(population.Event) {
		if time.Now().After(latest) {
			late.Store(true)
			runtime.Goexit()
		}
	}})
	if late.Load() {
		t.Fatal("the run goes on after its context has ended")
	}
	if err != nil {
		return // interrupted, or one in which too much happens
	}
	if result.Incomplete || len(result.Runs) != 1 || result.Runs[0].Rows() != len(m.Times()) {
		t.Fatalf("a run without an error is incomplete: %d runs", len(result.Runs))
	}
	checkFlows(t, m, &result.Runs[0])
	checkGroups(t, m, &result.Runs[0])
}

// checkGroups checks that groups add up to all, whatever they are of.
func checkGroups(t *testing.T, m *population.Model, run *population.Run) {
	t.Helper()
	sums := map[string][]int{}
	for row := range run.Rows() {
		clear(sums)
		for g, group := range m.Groups() {
			sum := append(sums[group.By()], make([]int, len(m.States())+len(m.Flows()))...)[:len(m.States())+len(m.Flows())]
			for s := range m.States() {
				sum[s] += run.In(g).Count(row, s)
			}
			for f := range m.Flows() {
				sum[len(m.States())+f] += int(run.In(g).Flow(row, f))
			}
			sums[group.By()] = sum
		}
		for by, sum := range sums {
			for s, name := range m.States() {
				if sum[s] != run.Count(row, s) {
					t.Fatalf("row %d: %d are %s, and by %s %d", row, run.Count(row, s), name, by, sum[s])
				}
			}
			for f, flow := range m.Flows() {
				if n := sum[len(m.States())+f]; n != int(run.Flow(row, f)) {
					t.Fatalf("row %d: %d went %v, and by %s %d", row, run.Flow(row, f), flow, by, n)
				}
			}
		}
	}
}

// checkFlows checks that everybody is somewhere: what a state has more than in the row before has
// come to it, and what it has less has left it.
func checkFlows(t *testing.T, m *population.Model, run *population.Run) {
	t.Helper()
	states, flows := m.States(), m.Flows()
	for _, entrance := range []string{"births", "immigration", "interventions"} {
		if slices.Contains(states, entrance) {
			return // its flows cannot be told from those of who enters
		}
	}
	for row := range run.Rows() {
		sum := 0
		for s, name := range states {
			count := run.Count(row, s)
			if sum += count; count < 0 || count > 1<<30 {
				t.Fatalf("row %d: %d individuals are %s", row, count, name)
			}
			if row == 0 {
				continue
			}
			want := run.Count(row-1, s)
			for i, f := range flows {
				n := int(run.Flow(row, i) - run.Flow(row-1, i))
				if n < 0 {
					t.Fatalf("row %d: %d have gone from %s to %s since the row before", row, n, f.From, f.To)
				}
				if f.To == name {
					want += n
				}
				if f.From == name {
					want -= n
				}
			}
			if count != want {
				t.Fatalf("row %d: %d individuals are %s, but %d were, came and did not leave", row, count, name, want)
			}
		}
		if total := run.Total(row); total != sum {
			t.Fatalf("row %d: the total is %d, and the states have %d", row, total, sum)
		}
	}
}
