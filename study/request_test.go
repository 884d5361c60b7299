package study

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population"
)

// aRequest is one as flags would give it.
func aRequest(luck *rand.Rand) *Request {
	const letters = "abcé xyz -=%'\"\\$,:{}[]<&.0123"
	text := func() string {
		var b strings.Builder
		for range 1 + luck.IntN(8) {
			b.WriteRune([]rune(letters)[luck.IntN(len([]rune(letters)))])
		}
		return "a" + b.String() + "z"
	}
	yes := func() bool { return luck.IntN(2) == 0 }
	one := func(of ...string) string { return of[luck.IntN(len(of))] }
	maybe := func() string { return one("", text()) }
	some := func() (all []string) {
		for range luck.IntN(4) {
			all = append(all, text())
		}
		return all
	}
	r := &Request{Kind: one(kinds...), Model: text(), Until: maybe(), Seed: luck.Uint64(), Out: text()}
	if yes() {
		r.Size = "1e3"
	}
	for _, name := range some() {
		r.Set = append(r.Set, population.Parameter{Name: strings.TrimSpace(strings.ReplaceAll(name, "=", "")), Value: text()})
	}
	if r.Kind != Compare {
		r.Scenario = maybe()
	}
	if r.Kind == Fit {
		r.Data, r.Unknown, r.Match, r.Method = maybe(), some(), some(), one("abc", "search")
		r.Population, r.Budget = luck.IntN(10), luck.IntN(10)
	} else {
		r.Replicas = 2 + luck.IntN(900)
	}
	if r.Kind != Run {
		r.LimitTime = Duration(luck.IntN(6)) * Duration(time.Minute)
		r.LimitMemory = one("", "4GB")
	}
	if r.Kind == Run || r.Kind == Compare {
		r.From = maybe()
	}
	if r.Kind == Run || r.Kind == Sweep {
		r.Format = one("csv", "parquet")
	}
	switch r.Kind {
	case Run:
		r.Replica, r.Events = luck.IntN(10), yes()
	case Sweep:
		r.Vary, r.Outputs, r.Precision = []string{"beta=1, 2"}, some(), one("", "2%")
		r.Set, r.Series, r.Design = nil, yes(), "lhs"
		if r.Sample = luck.IntN(6); r.Sample > 0 {
			r.Design = one("lhs", "sobol")
		}
	case Compare:
		r.Outputs = some()
		for _, name := range some() {
			r.Scenarios = append(r.Scenarios, strings.NewReplacer(",", "", `"`, "").Replace(name))
		}
	}
	return r
}

// What is written as study.json is read as it was, but for the directories of this machine.
func TestFileRoundTrip(t *testing.T) {
	luck := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		r := aRequest(luck)
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadJSON(b.Bytes())
		if err != nil {
			t.Fatalf("%v in %s", err, b.String())
		}
		want := r.named()
		want.Version, want.SHA256, want.Out = FileVersion, got.SHA256, "."
		if want.Sample == 0 {
			want.Design = ""
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n%+v\n%+v", b.String(), got, want)
		}
	}
}

// What a job carries is read as it was, and does not depend on where results go or how often it is
// run.
func TestPayloadRoundTrip(t *testing.T) {
	luck := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		r := aRequest(luck)
		r.Source, r.Files = []byte("name: x"), map[string][]byte{"a.csv": []byte("1")}
		if r.Kind == Compare {
			r.Scenarios = []string{"a", "b"}
		}
		payload, err := r.Payload()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadPayload(payload)
		if err != nil {
			t.Fatal(err)
		}
		if got.Model != r.named().Model || !reflect.DeepEqual(got.Set, r.Set) || !reflect.DeepEqual(got.Vary, r.Vary) ||
			!bytes.Equal(got.Source, r.Source) || got.Seed != 0 || got.Replicas != 0 {
			t.Fatalf("%+v", got)
		}
		r.Out, r.Seed, r.Replicas, r.Format, r.Budget = r.Out+"2", r.Seed+1, r.Replicas+1, "csv", 7
		if again, err := r.Payload(); err != nil || !bytes.Equal(again, payload) {
			t.Fatalf("%s\n%s", again, payload)
		}
	}
}

// A file of another program is refused with a reason, and never worked with.
func TestFileRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "unexpected end",
		`[]`:                         "cannot unmarshal array",
		`null`:                       "it does not say of which version it is",
		`{"version":1}`:              `there is no study of kind ""`,
		`{"version":1,"sort":"run"}`: "--replicas 0: at least one is needed",
		`{"version":1,"sort":"run","replicas":1,"files":{"a.csv":"MQ=="}}`: "it has a model or tables in it, which stand " +
			"beside it",
		`{"version":1,"sort":"sweep","replicas":1,"vary":[` + strings.Repeat(`"x=0..99999 by 1",`, 3) +
			`"y=1"]}`: "more than 200000 values in all",
		`{"version":2,"sort":"run"}`: "it is of version 2, of a later " +
			"program than this one, which knows 1",
		`{"version":1,"sort":"run","replicas":1,"wings":2}`:      `unknown field "wings"`,
		`{"version":1,"sort":"run","replicas":1} {}`:             "invalid character",
		`{"version":1,"sort":"run","replicas":1,"size":"1,2"}`:   `--size: "1,2" is more than one number`,
		`{"version":1,"sort":"sweep","replicas":1,"vary":["x"]}`: `"x" has no =`,
		`{"version":1,"sort":"run","replicas":1,"format":"xml"}`: `--format: there is no "xml"; there ` +
			`are csv, parquet, json`,
		`{"version":1,"sort":"compare","replicas":2,"limit_time":"x"}`: "invalid duration",
		`{"version":1,"sort":"sweep","replicas":1,"vary":["x=1"],"sample":-1}`: "--sample -1: at least one point " +
			"is needed",
		`{"version":1,"sort":"sweep","replicas":1,"vary":["x=0..1e9 by 0.000001"]}`: "more than 100000 steps",
	} {
		if _, err := ReadJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// Whatever is read can be written, and its command line be printed.
func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"version":1,"sort":"sweep","model":"m.yaml","replicas":3,"seed":7,` +
		`"set":[{"name":"a","value":"1"}],"vary":["b=1..2 by 1"],"sample":2}`))
	f.Add([]byte(`{"version":1,"sort":"fit","model":"-","limit_time":"10m","posterior":{"posterior":{}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadJSON(text)
		if err != nil {
			return
		}
		_, _ = r.Payload()
		_, _ = r.Compile()
		line := r.Command()
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadJSON(b.Bytes())
		if err != nil {
			t.Fatalf("%v in %s, of %s", err, b.String(), text)
		}
		if r.Model != again.Model && r.named().Model != again.Model || strings.Count(line, "--seed") == 0 {
			t.Fatalf("%s", line)
		}
	})
}

// A point by Model.With is the point that the compiler makes: the same runs, and the same words for
// what is wrong.
func TestAtIsCompiled(t *testing.T) {
	r := study(t, Sweep)
	r.Set = []population.Parameter{{Name: "stay", Value: "4 days"}}
	s, err := r.compiled()
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range [][]population.Parameter{
		{{Name: "beta", Value: "0.3 per day"}}, {{Name: "beta", Value: " 1_0e-1 per  day"}},
		{{Name: "beta", Value: "2 per week"}}, {{Name: "beta", Value: "'0.3 per day'"}},
		{{Name: "beta", Value: "0.3 per day # quick"}}, {{Name: "stay", Value: "{gamma: {mean: 5 days, shape: 2}}"}},
		{{Name: "population.size", Value: "200"}},
		{{Name: "beta", Value: "0.3 per day"}, {Name: "population.start.infectious", Value: "5"}},
		{{Name: "beta", Value: "0.3 per day"}, {Name: "beta", Value: "0.6 per day"}},
		{{Name: "beta", Value: "3 days"}}, {{Name: "beta", Value: "-1 per day"}}, {{Name: "beta", Value: ""}},
		{{Name: "beta", Value: "fast"}}, {{Name: "bta", Value: "1 per day"}},
		{{Name: "beta", Value: "0x10 per day"}}, {{Name: "beta", Value: "1e400 per day"}}, {{Name: "beta", Value: "~"}},
		{{Name: "beta", Value: "{"}}, {{Name: "stay", Value: "0 days"}},
	} {
		got, err1 := s.At(values)
		want, err2 := s.Compile(sets(values)...)
		if (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
			t.Errorf("%v: %v; want %v", values, err1, err2)
			continue
		}
		if err1 != nil {
			continue
		}
		var b [2]bytes.Buffer
		for i, m := range []*population.Model{got, want} {
			result, err := m.Run(t.Context(), population.Options{Seed: 3, Replicas: 2})
			if err != nil {
				t.Fatal(err)
			}
			result.Seconds = 0
			if err := result.WriteJSON(&b[i]); err != nil {
				t.Fatal(err)
			}
		}
		if b[0].String() != b[1].String() {
			t.Errorf("%v: runs differ:\n%.300s\n%.300s", values, b[0].String(), b[1].String())
		}
	}
}
