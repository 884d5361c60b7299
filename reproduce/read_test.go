package reproduce

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

const twoPapers = `What is said here.

# First, 1994

## one — section 1 — holds — proved

It holds,
they say.

By hand.

# Second, 2000

## two — a figure — does not hold — simulated

It does.

By
hand.

Beside
that.

And that.
`

// Claims are what the text says, in its order, and each is checked by the function of its name.
func TestRead(t *testing.T) {
	measured := func(what string) func(int) Finding {
		return func(k int) Finding { return Finding{Measured: strings.Repeat(what, k), Notes: []string{"Own."}} }
	}
	checks := map[string]func(int) Finding{"one": measured("1"), "two": measured("2")}
	claims := Read(twoPapers, func(*Runner) int { return 3 }, checks)
	for i, want := range []Claim{
		{Name: "one", Paper: "First, 1994", Place: "section 1", Found: Holds, Grade: Proved,
			Says: "It holds, they say.", How: "By hand."},
		{Name: "two", Paper: "Second, 2000", Place: "a figure", Found: DoesNotHold, Grade: Simulated,
			Says: "It does.", How: "By hand."},
	} {
		got := claims[i]
		f, err := got.Run(t.Context(), Options{})
		if got.Run = nil; got.Name != want.Name || got.Paper != want.Paper || got.Place != want.Place ||
			got.Found != want.Found || got.Grade != want.Grade || got.Says != want.Says || got.How != want.How {
			t.Errorf("%+v, want %+v", got, want)
		}
		if want := []string{"111", "222"}[i]; f.Measured != want || err != nil {
			t.Errorf("%q and %v, want %q", f.Measured, err, want)
		}
		if want := [][]string{{"Own."}, {"Own.", "Beside that.", "And that."}}[i]; !slices.Equal(f.Notes, want) {
			t.Errorf("the notes are %q, want %q", f.Notes, want)
		}
	}
}

// A text and checks that do not belong together are a mistake of the program.
func TestReadPanics(t *testing.T) {
	none := func(*Runner) Finding { return Finding{} }
	for name, read := range map[string]struct {
		text   string
		checks map[string]func(*Runner) Finding
	}{
		"no check":     {twoPapers, map[string]func(*Runner) Finding{"one": none}},
		"a check more": {twoPapers, map[string]func(*Runner) Finding{"one": none, "two": none, "three": none}},
		"an unknown verdict": {strings.Replace(twoPapers, "does not hold", "fails", 1),
			map[string]func(*Runner) Finding{"one": none, "two": none}},
		"an unknown grade": {strings.Replace(twoPapers, "proved", "sure", 1),
			map[string]func(*Runner) Finding{"one": none, "two": none}},
		"no grade": {strings.Replace(twoPapers, " — proved", "", 1), map[string]func(*Runner) Finding{"one": none,
			"two": none}},
		"no verdict": {strings.Replace(twoPapers, " — holds", "", 1), map[string]func(*Runner) Finding{"one": none,
			"two": none}},
		"a paragraph less": {strings.Replace(twoPapers, "\n\nBy hand.", "", 1), map[string]func(*Runner) Finding{"one": none,
			"two": none}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is read")
				}
			}()
			Read(read.text, func(r *Runner) *Runner { return r }, read.checks)
		})
	}
}

// A check ends early with the error that it fails on, at any depth, and what else it panics with is
// not swallowed.
func TestChecked(t *testing.T) {
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		check func(*Runner)
		want  error
	}{
		"nothing":   {t.Context(), func(r *Runner) { r.Checkpoint(); r.FailOn(nil); Must(1, nil) }, nil},
		"cancelled": {cancelled, func(r *Runner) { r.Checkpoint() }, context.Canceled},
		"failed":    {t.Context(), func(r *Runner) { r.FailOn(broken) }, broken},
		"must":      {t.Context(), func(*Runner) { Must(1, broken) }, broken},
	} {
		last := 0.0
		f, err := Checked(name, func(r *Runner) Finding { c.check(r); return Finding{Measured: "all"} })(c.ctx,
			Options{Progress: func(fraction float64) { last = fraction }})
		if !errors.Is(err, c.want) || (err == nil) != (f.Measured == "all") || (err == nil) != (last == 1) {
			t.Errorf("%s: %v and %q, progress %v, want %v", name, err, f.Measured, last, c.want)
		}
	}
	defer func() {
		if p := recover(); p != "a bug" {
			t.Errorf("it panics with %v", p)
		}
	}()
	_, _ = Checked("bug", func(*Runner) Finding { panic("a bug") })(t.Context(), Options{})
}
