package papers

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/reproduce"
)

var update = flag.String("update", "",
	"a directory that almanac reproduce wrote: make docs/papers.md and docs/reproduced from it")

const (
	page     = "../../docs/papers.md"
	pictures = "../../docs/reproduced"
	recorded = pictures + "/claims.json"
	pictured = pictures + "/README.md"
)

// slow are the claims that take about a quarter of a second or more. make soak compares what they
// count with the record. lehman-increments, which takes half a second, is not one of them: it
// stands on package population, with the results of which its numbers change.
var slow = []string{
	"figure-1", "figure-2", "markov-chain", "theorem-2.1-orders", "shape-independence",
	"atom-near-zero", "empty-share", "equation-13", "equations-15-and-16", "recurrence",
	"product-measure", "theorem-3.1", "theorem-3.2", "corollary-3.1", "corollary-3.2-and-3.3",
	"figure-3", "cache-effects", "ordered-lists", "journal-global-minimum",
	"journal-calibration-counts", "journal-self-tuning", "lehman-empty-bins", "lehman-order-1",
	"lehman-in-sequence", "lehman-algorithm-5-stable", "lehman-withholding", "lehman-many-orders",
	"lehman-increments-fit", "lehman-sixty-million", "lehman-jit-sorting", "lehman-billion",
	"lehman-timing", "lehman-rate", "capped-log-log",
	"capped-root-log", "capped-threshold", "capped-recurrence", "capped-pool-n-log-n", "capped-infinite",
	"capped-footnote-2", "capped-theorem-1", "capped-lemma-1", "capped-waiting-lemmas",
	"capped-theorem-2", "capped-lemma-6", "capped-size", "capped-figure-4", "capped-figure-5",
	"capped-burn-in", "capped-published-code", "capped-sweet-spot", "spray-proposition-2.2",
	"spray-delete-min", "spray-start-height", "spray-runs", "spray-first-element", "spray-padding",
	"spray-constant-calls", "spray-collisions", "spray-delete-insert", "spray-naive-remove",
	"spray-dirty", "spray-dirty-perfect", "spray-dirty-modified", "spray-redraw", "spray-lemma-4.1", "spray-lemma-5.2",
	"spray-theorem-4.2", "spray-corollary-4.3", "spray-theorems-5.3-6.2",
	"spray-perfect-conjecture",
}

// docs/papers.md is made from the record and from the texts of the claims, and nothing else.
func TestPage(t *testing.T) {
	if *update != "" {
		renew(t)
	}
	record := read(t, recorded)
	want := made(t, record)
	if *update != "" {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(page); err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/papers.md is not what the record and the claims make (make papers): %v", err)
	}
	claims, _, _ := strings.Cut(counts(record), ";")
	for file, say := range map[string]string{pictured: counts(record), "../../README.md": claims} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), say) {
			t.Errorf("%s does not say %q", file, say)
		}
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

// renew makes the record and the pictures from a report.
func renew(t *testing.T) {
	t.Helper()
	report := read(t, filepath.Join(*update, "claims.json"))
	for i := range report.Results {
		report.Results[i].Tables = nil // they are long, and anybody can make them
	}
	var text bytes.Buffer
	if err := report.JSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recorded, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for name := range shown(t) {
		picture, err := os.ReadFile(filepath.Join(*update, name))
		if err != nil {
			t.Fatalf("docs/reproduced/%s is not drawn any more: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(pictures, name), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) *reproduce.Report {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r reproduce.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &r
}

// made is the page that a record makes. The words of a claim are those of its text today.
func made(t *testing.T, record *reproduce.Report) []byte {
	t.Helper()
	claims := Claims()
	if len(record.Results) != len(claims) {
		t.Fatalf("the record has %d claims, want %d (make papers)", len(record.Results), len(claims))
	}
	var table, thresholds, out bytes.Buffer
	rows := &reproduce.Report{}
	fmt.Fprint(&thresholds, "| claim | what | decides | measured | outcome stays |\n|---|---|---|---|---|\n")
	for i, c := range claims {
		r := record.Results[i]
		if r.Name != c.Name || r.Verdict != c.Found {
			t.Fatalf("the record has %s, %q; want %s, %q (make papers)", r.Name, r.Verdict, c.Name, c.Found)
		}
		r.Paper, r.Place, r.Says, r.Found, r.Grade = c.Paper, c.Place, c.Says, c.Found, c.Grade
		rows.Results = append(rows.Results, r)
		for _, k := range r.Checks {
			if k.Threshold != nil {
				fmt.Fprintf(&thresholds, "| `%s` | %s; %s | %.6g | %.6g | %s |\n", c.Name, k.What, k.Threshold.Why, k.Expected,
					k.Measured, k.Stays())
			}
		}
	}
	if err := rows.Markdown(&table); err != nil {
		t.Fatal(err)
	}
	page := template.Must(template.ParseFiles("page.md.tmpl"))
	lines := strings.NewReplacer("correction, ", "correction,\n", "; ", ";\n").Replace(counts(record))
	if err := page.Execute(&out, map[string]any{"Record": record, "Counts": lines, "Table": table.String(),
		"Thresholds": thresholds.String(), "Coverage": coverage(t)}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// counts is how many claims have which verdict, in a sentence.
func counts(r *reproduce.Report) string {
	n, claims := map[reproduce.Verdict]int{}, 0
	for _, c := range r.Results {
		n[c.Verdict]++
		if c.Verdict.OfThePaper() {
			claims++
		}
	}
	verb := func(v reproduce.Verdict, one, more string) string {
		if n[v] == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n[v], more)
	}
	return fmt.Sprintf("Of %d claims, %s, %s, %s, %s and %s; %s, and %s.", claims,
		verb(reproduce.Holds, "holds", "hold"),
		verb(reproduce.HoldsCorrected, "holds with a correction", "hold with a correction"),
		verb(reproduce.DoesNotHold, "does not hold", "do not hold"),
		verb(reproduce.Ambiguous, "is ambiguous", "are ambiguous"),
		verb(reproduce.Undecided, "is undecided", "are undecided"),
		verb(reproduce.Answered, "open question is answered", "open questions are answered"),
		verb(reproduce.OwnResult, "result is our own", "results are our own"))
}

// coverage is what the papers contain and where it is checked: the file coverage.md of each paper's
// package, with a table of places and claims. Every claim is in one, and every name is a claim's.
func coverage(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, paper := range []string{"erickson", "lehman", "berenbrink", "li"} {
		text, err := os.ReadFile(filepath.Join("..", paper, "coverage.md"))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(all.String(), -1) {
		named[name[1]] = true
	}
	for _, c := range Claims() {
		if !named[c.Name] {
			t.Errorf("no coverage.md has %s", c.Name)
		}
		delete(named, c.Name)
	}
	for name := range named {
		t.Errorf("a coverage.md has %s, which is no claim", name)
	}
	return strings.TrimRight(all.String(), "\n") + "\n"
}

// What is counted is in the record as it is counted with its seed, and the pictures of
// docs/reproduced are those of the report. It takes seconds: nothing less tells whether the numbers
// are right.
func TestPageNumbers(t *testing.T) {
	record := read(t, recorded)
	for i, c := range Claims() {
		if i >= len(record.Results) || record.Results[i].Name != c.Name {
			t.Fatalf("the record does not have %s in its place (make papers)", c.Name)
		}
		if !testscale.On && slices.Contains(slow, c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			results, err := reproduce.Run(t.Context(), []reproduce.Claim{c}, reproduce.Options{Seed: record.Seed}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if have, want := record.Results[i], results[0]; have.Measured != want.Measured || have.Verdict != want.Verdict {
				t.Errorf("the record has %s, %q; want %s, %q (make papers)", have.Verdict, have.Measured, want.Verdict,
					want.Measured)
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

// compare compares the pictures of a claim in docs/reproduced with those that a report has written
// into a directory. Not all that are drawn are in docs/reproduced.
func compare(t *testing.T, claim, dir string) {
	t.Helper()
	for name, owner := range shown(t) {
		if owner != claim {
			continue
		}
		have, err := os.ReadFile(filepath.Join(pictures, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("docs/reproduced/%s is not what is drawn (make papers): %v", name, err)
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
