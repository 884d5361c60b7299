package reproducetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// A recorder takes down what a test complains of.
type recorder struct {
	testing.TB
	complaints []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.complaints = append(r.complaints, fmt.Sprintf(format, args...))
}

// pretend is a claim that is as it should be, and measures what the seed says.
func pretend() reproduce.Claim {
	return reproduce.Claim{Name: "pretend", Paper: "none", Place: "nowhere", Says: "one", How: "not at all",
		Found: reproduce.Holds,
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			if ctx.Err() != nil {
				return reproduce.Finding{}, ctx.Err()
			}
			f := reproduce.Finding{Measured: "one"}
			f.Check("one", 1, 1, 0.5, "a test")
			f.Tables = []reproduce.Table{{Name: "seed", Columns: []string{"seed"}, Rows: [][]float64{{float64(o.Seed)}}}}
			f.Chart("curve", plot.Chart{Series: []plot.Series{{X: []float64{1, 2}, Y: []float64{3, 4}}}})
			f.Notes = []string{"a note"}
			o.ReportProgress(1)
			return f, nil
		}}
}

// changed is the claim with a finding that is changed.
func changed(change func(*reproduce.Finding)) reproduce.Claim {
	c := pretend()
	run := c.Run
	c.Run = func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
		f, err := run(ctx, o)
		change(&f)
		return f, err
	}
	return c
}

// Every test complains of what it is there for, and of nothing else.
func TestComplaints(t *testing.T) {
	verdict := func(r *recorder, c reproduce.Claim) { Illustrated(r, Verdict(r, c, 1)) }
	seeded := func(r *recorder, c reproduce.Claim) {
		Seeded(r, c, func(f reproduce.Finding) float64 { return f.Tables[0].Rows[0][0] })
	}
	before := Run(t, changed(func(f *reproduce.Finding) { f.Check("two", 1, 1, 0.5, "a test") }),
		reproduce.Options{Seed: 1})
	notices := func(r *recorder, c reproduce.Claim) { Notices(r, before, c, 1, "two") }
	stops := func(r *recorder, c reproduce.Claim) { Stops(r, []reproduce.Claim{c}) }
	broken := func(f *reproduce.Finding) { f.Check("two", 2, 1, 0.5, "a test") }
	described, slow := pretend(), pretend()
	described.Says = ""
	slow.Run = func(_ context.Context, o reproduce.Options) (reproduce.Finding, error) {
		return pretend().Run(context.Background(), reproduce.Options{Seed: o.Seed})
	}
	for _, test := range []struct {
		name  string
		test  func(*recorder, reproduce.Claim)
		claim reproduce.Claim
		want  []string
	}{
		{"all well", verdict, pretend(), nil},
		{"broken", verdict, changed(broken), []string{`the verdict is "does not hold", want "holds"`,
			"two (printed): 2, want 1 ± 0.5"}},
		{"no reason", verdict, changed(func(f *reproduce.Finding) { f.Checks[0].Because = "" }), []string{"a check without"}},
		{"not described", verdict, described, []string{"the claim is not described"}},
		{"an empty table", verdict, changed(func(f *reproduce.Finding) { f.Tables[0].Rows = nil }), []string{"has no rows"}},
		{"a long row", verdict, changed(func(f *reproduce.Finding) { f.Tables[0].Columns = nil }),
			[]string{"a row of 1 under 0"}},
		{"no notes", verdict, changed(func(f *reproduce.Finding) { f.Notes = nil }), []string{"0 notes, 1 charts"}},
		{"no progress", verdict, slow, []string{"progress ends at 0"}},
		{"seeded", seeded, pretend(), nil},
		{"not seeded", seeded, changed(func(f *reproduce.Finding) { f.Tables[0].Rows[0][0] = 1 }),
			[]string{"seeds 1, 1, 2 give [1 1 1]"}},
		{"noticed", notices, changed(broken), nil},
		{"not noticed", notices, pretend(), []string{`the verdict is still "holds"`, `no check of "two" turns`}},
		{"stops", stops, pretend(), nil},
		{"does not stop", stops, slow, []string{"want that it was cancelled"}},
	} {
		r := &recorder{TB: t}
		test.test(r, test.claim)
		if len(r.complaints) != len(test.want) {
			t.Errorf("%s: %q, want %q", test.name, r.complaints, test.want)
			continue
		}
		for i, want := range test.want {
			if !strings.Contains(r.complaints[i], want) {
				t.Errorf("%s: %q, want %q", test.name, r.complaints[i], want)
			}
		}
	}
}
