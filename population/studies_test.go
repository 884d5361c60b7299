package population_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// valueOf is what a parameter of a model has come to be.
func valueOf(t *testing.T, m *population.Model, name string) string {
	t.Helper()
	for _, p := range m.Parameters() {
		if p.Name == name {
			return p.Value
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}

// startOf is how many begin in each state, as the first row has it.
func startOf(t *testing.T, m *population.Model) []int {
	t.Helper()
	r, err := m.Run(t.Context(), population.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var counts []int
	for s := range m.States() {
		counts = append(counts, r.Runs[0].Count(0, s))
	}
	return counts
}

// A scenario replaces what the file says, and Set what the scenario says.
func TestScenarios(t *testing.T) {
	compile := func(asked ...population.Change) *population.Model {
		t.Helper()
		m, err := population.Compile("model.yaml", []byte(withStudies), asked...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	base, slow := compile(), compile(population.Scenario("slow"))
	if got := base.Scenarios(); !slices.Equal(got, []string{"usual", "slow"}) {
		t.Errorf("scenarios %v", got)
	}
	set := compile(population.Set("beta", "0.3 per day"), population.Scenario("slow"),
		population.Set("population.start.infectious", "7"))
	for _, c := range []struct {
		m    *population.Model
		beta string
		ill  int
	}{{base, "0.5 per day", 10}, {compile(population.Scenario("usual")), "0.5 per day", 10}, {slow, "0.2 per day", 20},
		{set, "0.3 per day", 7}} {
		if got := valueOf(t, c.m, "beta"); got != c.beta {
			t.Errorf("beta is %s, want %s", got, c.beta)
		}
		if got := startOf(t, c.m); got[2] != c.ill || got[0] != 1000-c.ill {
			t.Errorf("at the start %v, want %d infectious", got, c.ill)
		}
	}
	// What goes by one name in the file is the same as what --set says, for all that comes of it.
	a, _ := slow.Run(t.Context(), population.Options{Seed: 3})
	b, _ := compile(population.Set("beta", "0.2 per day"), population.Set("population.start.infectious", "20")).Run(
		t.Context(), population.Options{Seed: 3})
	if x, y := a.State(0).Mean, b.State(0).Mean; !slices.Equal(x, y) {
		t.Error("a scenario and --set with the same values differ")
	}
	if !strings.Contains(base.Explain(), "\nScenarios (--scenario NAME runs one)\n  usual: everything as it is\n"+
		"  slow: beta is 0.2 per day, population.start.infectious is 20\n") {
		t.Errorf("the scenarios are not explained:\n%s", base.Explain())
	}
	if err := base.Check(t.Context()); err != nil {
		t.Errorf("there is something wrong with the base: %v", err)
	}
}

// What is beneath holds as if the file said so: a scenario has precedence over what Base sets, and
// so has Set; what they leave is as Base has it.
func TestBase(t *testing.T) {
	for _, c := range []struct {
		name      string
		changes   []population.Change
		beta      string
		ill, size int
	}{
		{"a base alone", []population.Change{population.Base(population.Set("beta", "0.1 per day"),
			population.Set("population.size", "500"))}, "0.1 per day", 10, 500},
		{"a scenario over it", []population.Change{population.Scenario("slow"),
			population.Base(population.Set("beta", "0.1 per day"), population.Set("population.size", "500"))},
			"0.2 per day", 20, 500},
		{"an empty scenario over it", []population.Change{population.Scenario("usual"),
			population.Base(population.Scenario("slow"))}, "0.2 per day", 20, 1000},
		{"set over it", []population.Change{population.Base(population.Scenario("slow"),
			population.Set("population.size", "500")), population.Set("population.size", "700"),
			population.Set("population.start.infectious", "7")}, "0.2 per day", 7, 700},
	} {
		m, err := population.Compile("model.yaml", []byte(withStudies), c.changes...)
		if err != nil {
			t.Fatal(err)
		}
		if got := valueOf(t, m, "beta"); got != c.beta {
			t.Errorf("%s: beta is %s, want %s", c.name, got, c.beta)
		}
		if got := startOf(t, m); got[2] != c.ill || got[0] != c.size-c.ill {
			t.Errorf("%s: at the start %v, want %d of %d infectious", c.name, got, c.ill, c.size)
		}
	}
	_, err := population.Compile("model.yaml", []byte(withStudies), population.Base(population.Scenario("no")))
	if err == nil || !strings.Contains(err.Error(), `"no"`) {
		t.Errorf("a scenario that is not there: %v", err)
	}
}

// Values of the population and shares can be set; an alias that they are written by is not changed
// for others.
func TestSetInFile(t *testing.T) {
	source := strings.Replace(baseModel, "region: {north: 40%, south: 60%}",
		"region: &half {north: 40%, south: rest}\n  other.name: *half", 1)
	m, err := population.Compile("model.yaml", []byte(source), population.Set("attributes.other.name.north", "100%"),
		population.Set("attributes.region.north", "0"),
		population.Set("population.size", "500"), population.Set("population.start.recovered", "20%"),
		population.Set("population.most", "600"))
	if err != nil {
		t.Fatal(err)
	}
	if got := startOf(t, m); !slices.Equal(got, []int{390, 0, 10, 100}) {
		t.Errorf("at the start %v", got)
	}
	values := map[string]int{}
	_, err = m.Run(t.Context(), population.Options{Seed: 1, OnEvent: func(e population.Event) {
		if e.Kind == population.Started {
			values[strings.Join(e.Values, " ")]++
		}
	}})
	if err != nil || len(values) != 1 || values["south north"] != 500 {
		t.Errorf("values at the start: %v, %v", values, err)
	}
}

// Parts of lists go by their number.
func TestSetInList(t *testing.T) {
	source := strings.Replace(baseModel, "  start: {infectious: 10, susceptible: rest}\n", `  groups:
    - {share: 40%, with: {region: north}, start: {infectious: 10, susceptible: rest}}
    - {share: 60%, with: {region: south}, start: {susceptible: rest}}
`, 1)
	m, err := population.Compile("model.yaml", []byte(source), population.Set("population.groups.2.start.recovered",
		"50%"), population.Set("population.groups.1.start.infectious", "0"))
	if err != nil {
		t.Fatal(err)
	}
	if got := startOf(t, m); !slices.Equal(got, []int{700, 0, 0, 300}) {
		t.Errorf("at the start %v", got)
	}
	for name, want := range map[string]string{
		"population.groups.3.share": "--set population.groups.3.share: population.groups is a list of 2; expected one of " +
			"their numbers, as in population.groups.1",
		"population.groups.1.shar": `--set population.groups.1.shar: population: group 1: there is no key "shar"; did you ` +
			`mean "share"?`,
	} {
		if _, err := population.Compile("model.yaml", []byte(source), population.Set(name, "50%")); err == nil ||
			err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// Check finds what a run does not look at: every scenario, and the section fit.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, table := range map[string]string{"cases.csv": "day, cases\n0,1\n",
		"office.csv": "\ufeff# as an office program writes it\r\ntime, ill\r\n0,1\r\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(table), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const fit = "fit: {data: d.csv, unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}, match: [{column: " +
		"ill, state: infectious, error: poisson}]}\n"
	for _, c := range []struct{ name, more, want string }{
		{"scenario", "scenarios: {good: {}, bad: {beta: 5 days}, worse: {stay: 1 per day}}\n",
			"38:35: scenario bad: transmission 1: rate: parameter beta, 5 days, is a duration; expected a rate such as 0.5 " +
				"per day (see line 29)\n" +
				"38:58: scenario worse: states: infectious: race: clock 1: after: parameter stay, 1 per day, is a rate; " +
				"expected a duration such as 5 days or a distribution such as {gamma: {mean: 5 days, shape: 2}} (see line 20)"},
		{"good", fit, ""},
		{"table with a byte order mark and a comment", strings.Replace(fit, "d.csv", "office.csv", 1), ""},
		{"fit is a list", "fit: [a]\n", "38:6: fit: found a list, expected a mapping such as {data: cases.csv, unknown: " +
			"{beta: {uniform: {low: 0.1 per day, high: 1 per day}}}, match: [{column: cases, state: infectious, error: " +
			"poisson}]}"},
		{"fit is empty", "fit: {}\n", `38:6: fit: "data" is missing; write data: cases.csv, for example` + "\n" +
			`38:6: fit: "unknown" is missing; write unknown: {beta: {uniform: {low: 0.1 per day, high: 1 per day}}}, ` +
			`for example` + "\n" +
			`38:6: fit: "match" is missing; write match: [{column: cases, incidence: susceptible->infectious, error: ` +
			`poisson}], for example`},
		{"no unknown", strings.Replace(fit, "{beta: {uniform: {low: 0.1 per day, high: 1 per day}}}", "{}", 1),
			"38:29: fit: unknown: expected at least one parameter and its prior, such as {beta: {uniform: {low: 0.1 per day, " +
				"high: 1 per day}}}"},
		{"nothing to match", strings.Replace(fit, "[{column: ill, state: infectious, error: poisson}]", "[]", 1),
			"38:92: fit: match: expected at least one column, such as [{column: cases, incidence: susceptible->infectious, " +
				"error: poisson}]"},
		{"unknown parameter", strings.Replace(fit, "beta:", "bta:", 1),
			`38:30: fit: unknown: there is no parameter "bta"; did you mean "beta"?`},
		{"unknown distribution", strings.Replace(fit, "beta:", "stay:", 1),
			"38:30: fit: unknown: stay: the parameter is not one value; only a number, a duration, a rate or a probability " +
				"can be unknown"},
		{"prior of another dimension", strings.Replace(fit, "1 per day}", "1 day}", 1),
			"38:71: fit: unknown: beta: uniform: high: 1 day is a duration; expected a rate such as 0.5 per day"},
		{"prior the wrong way round", strings.Replace(fit, "high: 1 per", "high: 0.05 per", 1),
			"38:36: fit: unknown: beta: uniform: high is not above low"},
		{"prior that is a value", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}", "0.3 per day", 1),
			`38:36: fit: unknown: beta: found "0.3 per day", expected what is known of it beforehand, such as {uniform: ` +
				`{low: 0.1 per day, high: 1 per day}}`},
		{"prior that cannot be one", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{exactly: 0.3 per day}", 1),
			"38:37: fit: unknown: beta: exactly cannot be a prior; expected one of uniform, log-uniform, normal, lognormal, " +
				"gamma, beta, exponential, weibull"},
		{"log-uniform from 0", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{log-uniform: {low: 0 per day, high: 1 per day}}", 1),
			`38:56: fit: unknown: beta: log-uniform: low: 0 per day: expected more than 0`},
		{"normal without spread", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{normal: {mean: 0.3 per day, sd: 0 per day}}", 1),
			`38:69: fit: unknown: beta: normal: sd: 0 per day: expected more than 0`},
		{"lognormal without a mean", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{lognormal: {sd: 1 per day}}", 1),
			`38:48: fit: unknown: beta: lognormal: "mean" is missing; write lognormal: {mean: 5 days, sd: 2 days}, for example`},
		{"gamma with a shape below 0", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{gamma: {mean: 0.3 per day, shape: -1}}", 1),
			`38:71: fit: unknown: beta: gamma: shape: -1: expected a number above 0`},
		{"beta of a rate", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}", "{beta: {a: 2, b: 5}}", 1),
			`38:36: fit: unknown: beta: beta: the parameter is a rate, and a beta distribution is of a number from 0 to 1; ` +
				`expected one of uniform, log-uniform, normal, lognormal, gamma, exponential, weibull`},
		{"prior by its rate", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{exponential: {rate: 5 days}}", 1),
			`38:50: fit: unknown: beta: exponential: write its mean, which has the dimension of the parameter`},
		{"misspelled prior", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{log-unifrom: {low: 0.1 per day, high: 1 per day}}", 1),
			`38:37: fit: unknown: beta: there is no prior "log-unifrom"; did you mean "log-uniform"?`},
		{"misspelled argument", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{uniform: {low: 0.1 per day, hgih: 1 per day}}", 1),
			`38:65: fit: unknown: beta: uniform: there is no key "hgih"; did you mean "high"?`},
		{"two priors", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{uniform: {low: 0.1 per day, high: 1 per day}, beta: {a: 1, b: 1}}", 1),
			`38:36: fit: unknown: beta: a prior has one name and its arguments, such as {uniform: {low: 0.1 per day, high: 1 ` +
				`per day}}; there are 2 names here`},
		{"prior of what cannot be", strings.Replace(fit, "{uniform: {low: 0.1 per day, high: 1 per day}}",
			"{uniform: {low: -2 per day, high: -1 per day}}", 1),
			`38:36: fit: unknown: beta: the parameter is between 0 per day and anything, and nothing of the prior is`},
		{"column twice", strings.Replace(fit, "match: [", "match: [{column: ill, state: latent, error: poisson}, ", 1),
			`38:148: fit: match 2: column "ill" is here twice; it is compared with one thing`},
		{"observed by a rate", strings.Replace(fit, "error:", "observed: beta, error:", 1),
			`38:136: fit: match 1: observed: parameter beta, 0.5 per day, is a rate; expected a percentage such as 30%`},
		{"unknown state", strings.Replace(fit, "infectious, error", "infectous, error", 1),
			`38:114: fit: match 1: state: there is no state "infectous"; did you mean "infectious"?`},
		{"unknown flow", strings.Replace(fit, "state: infectious", "flow: infectious->out", 1), ""},
		{"flow that nobody goes", strings.Replace(fit, "state: infectious", "incidence: latent->susceptible", 1),
			`38:118: fit: match 1: incidence: there is no flow or name "latent->susceptible"; did you mean ` +
				`"births->susceptible"?`},
		{"name of a clock", strings.Replace(fit, "state: infectious", "incidence: death", 1), ""},
		{"two things at once", strings.Replace(fit, "state: infectious", "state: infectious, flow: death", 1),
			"38:114: fit: match 1: both flow and state; a column is compared with one of them"},
		{"nothing to compare with", strings.Replace(fit, "state: infectious, ", "", 1),
			"38:93: fit: match 1: what is it compared with? Write incidence: susceptible->infectious, flow: " +
				"susceptible->infectious or state: infectious, for example"},
		{"no error", strings.Replace(fit, ", error: poisson", "", 1),
			`38:93: fit: match 1: "error" is missing; write error: poisson, for example`},
		{"unknown error", strings.Replace(fit, "error: poisson", "error: {nomral: {sd: 10%}}", 1),
			`38:134: fit: match 1: error: there is no law of errors "nomral"; did you mean "normal"?`},
		{"error that is a number", strings.Replace(fit, "error: poisson", "error: 5", 1),
			`38:133: fit: match 1: error: found "5", expected poisson, {negative binomial: {dispersion: 5}} or {normal: ` +
				`{sd: 10%}}`},
		{"error without spread", strings.Replace(fit, "error: poisson", "error: {normal: {sd: 0}}", 1),
			"38:147: fit: match 1: error: normal: sd: 0: expected more than 0"},
		{"dispersion below 0", strings.Replace(fit, "error: poisson", "error: {negative binomial: {dispersion: -1}}", 1),
			"38:166: fit: match 1: error: negative binomial: dispersion: -1: expected a number above 0"},
		{"observed above 1", strings.Replace(fit, "error:", "observed: 130%, error:", 1),
			"38:136: fit: match 1: observed: 130%: a probability is between 0 and 1, or 0% and 100%"},
		{"columns that are not there", strings.Replace(fit, "d.csv", "cases.csv", 1),
			"cases.csv:1:1: the first column is \"day\"; expected time, in the unit of the model, or date\n" +
				"cases.csv:1:1: there is no column \"ill\"; expected one of cases"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, "model.yaml")
			m, err := population.Compile(path, []byte(baseModel+c.more), population.Files(population.Dir(dir)))
			if err != nil {
				t.Fatalf("a run must not look at it: %v", err)
			}
			got := ""
			if err := m.Check(t.Context()); err != nil {
				got = strings.ReplaceAll(err.Error(), path+":", "")
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// An ending is a context that ends when it has been asked so many times.
type ending struct {
	context.Context
	asked, most int
}

func (e *ending) Err() error {
	if e.asked++; e.asked > e.most {
		return context.Canceled
	}
	return nil
}

// Looking at the scenarios ends with the context, before the next of them.
func TestCheckEnds(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: x\ntime: {unit: day, end: 1}\npopulation: {size: 1, start: {a: rest}}\nstates: {a: {}}\n" +
		"record: {every: 1 day}\nparameters: {p: 1 day}\nscenarios:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "  s%d: {p: %d days}\n", i, i+1)
	}
	m, err := population.Compile("x.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	ctx := &ending{Context: t.Context(), most: 3}
	if err := m.Check(ctx); !errors.Is(err, context.Canceled) || ctx.asked != 4 {
		t.Errorf("%v, after %d looks", err, ctx.asked)
	}
}
