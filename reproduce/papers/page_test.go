package papers

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/reproduce"
)

var update = flag.Bool("update", false, "write the rows of docs/papers.md and the pictures of docs/reproduced anew")

const (
	page     = "../../docs/papers.md"
	pictures = "../../docs/reproduced"
)

// slow are the claims that take about a quarter of a second or more. make soak checks their rows
// and pictures. lehman-increments, which takes half a second, is not one of them: it stands on
// package population, with the results of which its numbers change.
var slow = []string{
	"figure-1", "figure-2", "markov-chain", "theorem-2.1-orders", "shape-independence",
	"atom-near-zero", "empty-share", "equation-13", "equations-15-and-16", "theorem-3.1",
	"theorem-3.2", "corollary-3.1", "corollary-3.2-and-3.3", "figure-3", "ordered-lists",
	"journal-global-minimum", "journal-calibration", "lehman-empty-bins", "lehman-order-1",
	"lehman-billion", "lehman-timing", "lehman-rate", "capped-log-log", "capped-root-log",
	"capped-recurrence", "capped-theorem-1", "capped-lemma-1", "capped-waiting-lemmas",
	"capped-theorem-2", "capped-lemma-6", "capped-size", "capped-figure-4", "capped-figure-5",
	"capped-burn-in", "capped-sweet-spot", "spray-proposition-2.2", "spray-naive-remove",
	"spray-lemma-4.1", "spray-start-height", "spray-padding", "spray-collisions",
	"spray-delete-insert", "spray-dirty", "spray-dirty-perfect", "spray-dirty-modified",
	"spray-redraw", "spray-theorem-4.2", "spray-corollary-4.3", "spray-theorems-5.3-6.2",
	"spray-perfect-conjecture",
}

// The table of docs/papers.md has a row for each claim, in their order, with what it says and the
// verdict that was found; and docs/reproduced counts the verdicts.
func TestPageRows(t *testing.T) {
	table := rows(t)
	verdicts := map[reproduce.Verdict]int{}
	for i, c := range Claims() {
		verdicts[c.Found]++
		if i >= len(table) {
			t.Fatalf("there is no row for %s", c.Name)
		}
		want := row(t, reproduce.Result{Name: c.Name, Paper: c.Paper, Place: c.Place, Says: c.Says,
			Verdict: c.Found, Found: c.Found})
		for k, cell := range table[i] {
			if k != measuredCell && cell != want[k] {
				t.Errorf("the row of %s has %q, want %q", c.Name, cell, want[k])
			}
		}
	}
	if len(table) != len(Claims()) {
		t.Errorf("%d rows for %d claims", len(table), len(Claims()))
	}
	text, err := os.ReadFile(filepath.Join(pictures, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("Of %d claims %d hold, %d hold with a correction, %d do not hold, and %d are about time",
		len(Claims()), verdicts[reproduce.Holds], verdicts[reproduce.HoldsThus], verdicts[reproduce.DoesNotHold],
		verdicts[reproduce.NotDecided])
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("docs/reproduced does not say %q", want)
	}
	for name, owner := range shown(t) {
		if owner == "" {
			t.Errorf("docs/reproduced/%s has the name of no claim's picture", name)
		}
	}
	for _, name := range slow {
		if !slices.ContainsFunc(Claims(), func(c reproduce.Claim) bool { return c.Name == name }) {
			t.Errorf("there is no claim %s", name)
		}
	}
}

// What is counted is in docs/papers.md as it is counted with seed 1, and the pictures of
// docs/reproduced are those of the report. What is timed is in italics, and is not compared. It
// takes seconds: nothing less tells whether the numbers are right.
func TestPageNumbers(t *testing.T) {
	table := rows(t)
	for i, c := range Claims() {
		if !testscale.On && slices.Contains(slow, c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			results, err := reproduce.Run(t.Context(), []reproduce.Claim{c}, reproduce.Options{Seed: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := row(t, results[0])
			if !agrees(table[i][measuredCell], want[measuredCell]) {
				if *update {
					rewrite(t, table[i], want)
				} else {
					t.Errorf("docs/papers.md has %q, want %q (go test ./reproduce/papers -run Page -update)",
						table[i][measuredCell], want[measuredCell])
				}
			}
			dir := t.TempDir()
			report := &reproduce.Report{Results: results}
			if err := report.Write(dir); err != nil {
				t.Fatal(err)
			}
			compare(t, c.Name, dir)
		})
	}
}

// agrees reports whether a cell has the numbers that are counted. What depends on the machine is at
// its end, in italics: it must be there, and may be different.
func agrees(cell, want string) bool {
	counted, timed := cutTimed(cell)
	wantCounted, wantTimed := cutTimed(want)
	return counted == wantCounted && timed == wantTimed
}

// cutTimed is a cell without what is in italics at its end, and whether there is anything.
func cutTimed(cell string) (counted string, timed bool) {
	counted, timed = strings.CutSuffix(cell, "_")
	if timed {
		counted = strings.TrimSpace(counted[:max(0, strings.LastIndex(counted, "_"))])
	}
	return counted, timed
}

// compare compares the pictures of a claim in docs/reproduced with those that a report has written
// into a directory, or writes them anew. Not all that are drawn are in docs/reproduced.
func compare(t *testing.T, claim, dir string) {
	t.Helper()
	for name, owner := range shown(t) {
		if owner != claim {
			continue
		}
		path := filepath.Join(pictures, name)
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("docs/reproduced/%s is not drawn any more: %v", name, err)
		}
		if bytes.Equal(have, want) {
			continue
		}
		if !*update {
			t.Errorf("docs/reproduced/%s is not what is drawn (go test ./reproduce/papers -run Page -update)", name)
		} else if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shown are the pictures of docs/reproduced, and the claim that draws each: the one with the
// longest name that the name of the file begins with.
func shown(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(pictures, "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		owners[name] = ""
		for _, c := range Claims() {
			rest, ok := strings.CutPrefix(name, c.Name)
			if ok && (rest[0] == '-' || rest == ".svg") && len(c.Name) > len(owners[name]) {
				owners[name] = c.Name
			}
		}
	}
	return owners
}

const measuredCell = 3

// rows are the cells of the table of the page.
func rows(t *testing.T) (table [][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if cells := cells(line); len(cells) == 5 && strings.HasPrefix(cells[1], "`") {
			table = append(table, cells)
		}
	}
	return table
}

// row is the row of a result, as the report writes it.
func row(t *testing.T, r reproduce.Result) []string {
	t.Helper()
	var text strings.Builder
	if err := (&reproduce.Report{Results: []reproduce.Result{r}}).Markdown(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	return cells(lines[len(lines)-1])
}

// cells are those of a row. A bar in a cell is escaped.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
}

// rewrite puts a row in the place of another one.
func rewrite(t *testing.T, old, row []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	if err := os.WriteFile(page, []byte(strings.Replace(string(text), line(old), line(row), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A page with another number is noticed, and one with another time is not.
func TestPageComparison(t *testing.T) {
	for _, c := range []struct {
		cell, want string
		agrees     bool
	}{
		{"It takes 3 steps.", "It takes 3 steps.", true},
		{"It takes 4 steps.", "It takes 3 steps.", false},
		{"It takes 3 steps. _That was 2 ns._", "It takes 3 steps. _That was 5 ns._", true},
		{"It takes 4 steps. _That was 2 ns._", "It takes 3 steps. _That was 2 ns._", false},
		{"It takes 3 steps.", "It takes 3 steps. _That was 2 ns._", false},
		{"It takes 3 steps. That was 2 ns.", "It takes 3 steps. _That was 2 ns._", false},
		{"_That was 2 ns._", "_That was 5 ns._", true},
	} {
		if got := agrees(c.cell, c.want); got != c.agrees {
			t.Errorf("%q agrees with %q: %v", c.cell, c.want, got)
		}
	}
}
