// Package reproducetest has the tests that the claims of every paper must pass: that a claim has
// the verdict that was found before, that a wrong theory is detected, that a check stops when its
// context ends, and that the same seed gives the same findings.
//
//	reproducetest.Verdict(t, reproducetest.Named(t, li.Claims(), "spray-theorem-1.2"), 1)
package reproducetest

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/reproduce"
)

// Named returns the claim of that name.
func Named(t testing.TB, claims []reproduce.Claim, name string) reproduce.Claim {
	t.Helper()
	for _, c := range claims {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no claim %s", name)
	return reproduce.Claim{}
}

// Run checks a claim.
func Run(t testing.TB, c reproduce.Claim, o reproduce.Options) reproduce.Result {
	t.Helper()
	progress := o.Progress
	if progress == nil {
		progress = func(float64) {}
	}
	results, err := reproduce.Run(t.Context(), []reproduce.Claim{c}, o, func(_ string, fraction float64) {
		progress(fraction)
	})
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

// Verdict expects a claim to have the verdict that was found before. Only checks of what is printed
// may fail, by either reading, where that does not hold. The progress must go from 0 to 1, and the
// finding must be fit for a report. It returns the finding.
func Verdict(t testing.TB, c reproduce.Claim, seed uint64) reproduce.Finding {
	t.Helper()
	last := 0.0
	r := Run(t, c, reproduce.Options{Seed: seed, Progress: func(fraction float64) {
		if fraction < last || fraction > 1 {
			t.Errorf("progress is %v after %v", fraction, last)
		}
		last = fraction
	}})
	if !r.AsBefore() {
		t.Errorf("the verdict is %q, want %q", r.Verdict, r.Found)
	}
	if last != 1 {
		t.Errorf("progress ends at %v", last)
	}
	for _, k := range r.Checks {
		if !k.OK && (k.Kind != reproduce.Printed && k.Kind != reproduce.OtherReading || r.Found == reproduce.Holds) {
			t.Errorf("%s (%s): %v, want %v ± %v", k.What, k.Kind, k.Measured, k.Expected, k.Tolerance)
		}
		if k.Threshold != nil && *k.Threshold != reproduce.Chosen(k.Threshold.Name) {
			t.Errorf("%s: the threshold %q is changed", k.What, k.Threshold.Name)
		}
		if k.What == "" || k.Because == "" {
			t.Errorf("a check without a name or a reason: %+v", k)
		}
	}
	reportable(t, r)
	return r.Finding
}

// reportable expects what a report needs: a description, tables that are whole, and charts that can
// be drawn.
func reportable(t testing.TB, r reproduce.Result) {
	t.Helper()
	if r.Name == "" || r.Paper == "" || r.Place == "" || r.Says == "" || r.How == "" || r.Words() == "" {
		t.Errorf("the claim is not described: %+v", r)
	}
	f := r.Finding
	if len(f.Charts) != len(f.ChartName) || len(f.Tables) == 0 {
		t.Fatalf("%d charts, %d names, %d tables", len(f.Charts), len(f.ChartName), len(f.Tables))
	}
	for _, table := range f.Tables {
		if len(table.Rows) == 0 {
			t.Errorf("table %s has no rows", table.Name)
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("table %s: a row of %d under %d headings", table.Name, len(row), len(table.Columns))
			}
			for _, x := range row {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("table %s has %v", table.Name, row)
				}
			}
		}
	}
	for i, chart := range f.Charts {
		if err := chart.Save(filepath.Join(t.TempDir(), f.ChartName[i]+".svg")); err != nil {
			t.Error(err)
		}
	}
}

// Illustrated expects notes and charts.
func Illustrated(t testing.TB, f reproduce.Finding) {
	t.Helper()
	if len(f.Notes) == 0 || len(f.Charts) == 0 {
		t.Errorf("%d notes, %d charts", len(f.Notes), len(f.Charts))
	}
}

// Notices expects a changed claim, whose theory or printed number was made wrong, to have another
// verdict than the unchanged one had, and each of the given checks, identified by a part of its
// name, to have another outcome: to fail where it passed, or to pass where it failed.
func Notices(t testing.TB, before reproduce.Result, wrong reproduce.Claim, seed uint64, checks ...string) {
	t.Helper()
	after := Run(t, wrong, reproduce.Options{Seed: seed})
	if after.Verdict == before.Verdict {
		t.Errorf("the verdict is still %q", after.Verdict)
	}
	ok := map[string]bool{}
	for _, k := range before.Checks {
		ok[k.What] = k.OK
	}
	for _, part := range checks {
		turned := false
		for _, k := range after.Checks {
			was, known := ok[k.What]
			turned = turned || known && was != k.OK && strings.Contains(k.What, part)
		}
		if !turned {
			t.Errorf("no check of %q turns", part)
		}
	}
}

// Stops expects claims to end with the context's error when the context is done.
func Stops(t testing.TB, claims []reproduce.Claim) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range claims {
		if _, err := c.Run(ctx, reproduce.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was cancelled", c.Name, err)
		}
	}
}

// Seeded expects something that a claim measures to be the same with the same seed, and different
// with another.
func Seeded(t testing.TB, c reproduce.Claim, measured func(reproduce.Finding) float64) {
	t.Helper()
	var got [3]float64
	for i, seed := range []uint64{1, 1, 2} {
		got[i] = measured(Run(t, c, reproduce.Options{Seed: seed}).Finding)
	}
	if got[0] != got[1] || got[0] == got[2] {
		t.Errorf("seeds 1, 1, 2 give %v", got)
	}
}
