// Package suggest finds the name that somebody probably meant.
package suggest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is the longest word for which a name is looked for. What is longer is no slip of the
// fingers, and comparing it takes time proportional to the square of its length.
const longest = 64

// Name returns the candidate that is closest to word, or "" if none is close: at most a third of
// the letters may differ. A single letter is close to no other name, except to itself in another
// case: S and I are names that somebody chose, not slips.
func Name(word string, candidates []string) string {
	if len(word) > 4*longest || utf8.RuneCountInString(word) > longest {
		return ""
	}
	letters := []rune(word)
	best, least := "", max(len(letters)/3, 1)+1
	for _, c := range candidates {
		// Each letter that one has more than the other must be inserted. A letter has at most four bytes.
		if len(c) > 4*(len(letters)+least) {
			continue
		}
		other := []rune(c)
		if len(other)-len(letters) >= least || len(letters)-len(other) >= least {
			continue
		}
		if (len(letters) < 2 || len(other) < 2) && !strings.EqualFold(word, c) {
			continue
		}
		if d := distance(letters, other, least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their neighbour to make b of
// a (optimal string alignment). It stops counting when they are certain to be as many as the limit
// or more.
func distance(a, b []rune, limit int) int {
	// The rows of the table for the letters of a up to this one, to the one before, and to the one
	// before that.
	this, before, earlier := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range this {
		this[j] = j
	}
	for i := range a {
		this, before, earlier = earlier, this, before
		this[0] = i + 1
		least := this[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(before[j+1]+1, this[j]+1, before[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, earlier[j-1]+1)
			}
			this[j+1] = d
			least = min(least, d)
		}
		// What follows comes from this row or, by a swap, from the one before it, and then costs
		// one more.
		if least >= limit && slices.Min(before)+1 >= limit {
			return limit
		}
	}
	return this[len(b)]
}

// Among is an error of a flag if a name is none of those there are.
func Among(flag, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	if near := Name(name, known); near != "" {
		return fmt.Errorf("%s: there is no %q; did you mean %q?", flag, name, near)
	}
	return fmt.Errorf("%s: there is no %q; there are %s", flag, name, strings.Join(known, ", "))
}
