package experiment

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Fraction is the two-level fractional factorial design with that many runs, a power of two, that
// has the highest resolution and, among those, the fewest shortest words (minimum aberration). The
// first factors are free, and the others are products of them.
//
// It tries all choices, and returns an error if there are more than a million; then use
// [FractionBy]. With at least as many runs as the full design, it is the full design.
//
// The source is A. Fries and W. G. Hunter, Minimum aberration 2^(k−p) designs, Technometrics 22
// (1980).
func Fraction(runs int, factors ...Factor) (*Design, error) {
	if err := checkFactors(factors, 2); err != nil {
		return nil, err
	}
	base := bits.Len(uint(runs)) - 1
	switch {
	case runs < 2 || runs != 1<<base || runs > MostRuns:
		return nil, fmt.Errorf("experiment: a fraction of %d runs; it must be a power of two, from 2 to %d", runs, MostRuns)
	case base >= len(factors):
		return Full(factors...)
	case len(factors) >= runs:
		return nil, fmt.Errorf("experiment: %d factors in %d runs; there must be fewer factors than runs", len(factors), runs)
	}
	var candidates []uint64
	for w := uint64(1); w < uint64(runs); w++ {
		if bits.OnesCount64(w) > 1 {
			candidates = append(candidates, w)
		}
	}
	p := len(factors) - base
	choices := 1.0
	for i := range p {
		if choices *= float64(len(candidates)-i) / float64(i+1); choices > 1e6 || p > 20 {
			return nil, fmt.Errorf("experiment: %d factors in %d runs can be had in more than a million ways; name the "+
				"products, with FractionBy", len(factors), runs)
		}
	}
	var best, words []uint64
	var bestPattern []int
	var choose func(from int)
	choose = func(from int) {
		if len(words) == p {
			if pattern := lengths(relation(base, words), len(factors)); bestPattern == nil ||
				slices.Compare(pattern, bestPattern) < 0 {
				best, bestPattern = slices.Clone(words), pattern
			}
			return
		}
		for i := from; i <= len(candidates)-(p-len(words)); i++ {
			words = append(words, candidates[i])
			choose(i + 1)
			words = words[:len(words)-1]
		}
	}
	choose(0)
	return fraction(factors, base, best), nil
}

// FractionBy is the two-level design with given generators, such as "d=a*b*c". Each halves the
// number of runs.
func FractionBy(factors []Factor, products ...string) (*Design, error) {
	if err := checkFactors(factors, 2); err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for _, text := range products {
		name, product, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !ok || of[name] != nil || !slices.ContainsFunc(factors, func(f Factor) bool { return f.Name == name }) {
			return nil, fmt.Errorf("experiment: %q is no product of factors; expected one for each that is not free, as in "+
				"d=a*b*c", text)
		}
		of[name] = strings.Split(product, "*")
	}
	var sorted []Factor // free factors first
	number := map[string]int{}
	for _, f := range factors {
		if of[f.Name] == nil {
			number[f.Name] = len(sorted)
			sorted = append(sorted, f)
		}
	}
	base := len(sorted)
	var words []uint64
	for _, f := range factors {
		if of[f.Name] == nil {
			continue
		}
		sorted = append(sorted, f)
		word := uint64(0)
		for _, name := range of[f.Name] {
			i, free := number[strings.TrimSpace(name)]
			if !free || word&(1<<i) != 0 {
				return nil, fmt.Errorf("experiment: %s is a product with %q in it, which is no free factor, or comes twice", f.Name,
					name)
			}
			word |= 1 << i
		}
		if slices.Contains(words, word) || bits.OnesCount64(word) < 2 {
			return nil, fmt.Errorf("experiment: %s is the same as another factor", f.Name)
		}
		words = append(words, word)
	}
	if base == 0 || 1<<base > MostRuns {
		return nil, fmt.Errorf("experiment: %d free factors; there must be at least one, and %d runs at most", base, MostRuns)
	}
	return fraction(sorted, base, words), nil
}

func fraction(factors []Factor, base int, words []uint64) *Design {
	d := &Design{Factors: slices.Clone(factors), base: base, words: words}
	for i := range 1 << base {
		run := make([]int, len(factors))
		for k := range factors {
			if high(i, d.word(k)) {
				run[k] = 1
			}
		}
		d.Runs = append(d.Runs, run)
	}
	return d
}

// word is the product of free factors that a factor equals.
func (d *Design) word(k int) uint64 {
	if k < d.base {
		return 1 << k
	}
	return d.words[k-d.base]
}

// relation is the defining relation: the products of factors that are 1 in all runs, without the
// empty one. The lowest bits are the free factors.
func relation(base int, words []uint64) []uint64 {
	all := []uint64{0}
	for i, w := range words {
		w |= 1 << (base + i)
		for _, other := range all[:len(all):len(all)] {
			all = append(all, other^w)
		}
	}
	return all[1:]
}

// lengths counts the words of a relation with 1, 2, 3, … factors.
func lengths(relation []uint64, factors int) []int {
	n := make([]int, factors+1)
	for _, w := range relation {
		n[bits.OnesCount64(w)]++
	}
	return n[1:]
}

// Resolution is the length of the shortest word of the defining relation, 0 for a full design. At
// resolution III, main effects are aliased with two-factor interactions; at IV, two-factor
// interactions with each other; at V, with three-factor interactions.
func (d *Design) Resolution() int {
	// With many generators there are too many words to enumerate; short ones are looked for directly.
	single := map[uint64]bool{}
	for k := range d.Factors {
		single[d.word(k)] = true
	}
	resolution, pairs := 0, map[uint64]bool{}
	for i := range d.Factors {
		for j := range i {
			pair := d.word(i) ^ d.word(j)
			if single[pair] {
				return 3
			}
			if pairs[pair] {
				resolution = 4
			}
			pairs[pair] = true
		}
	}
	if resolution > 0 {
		return resolution
	}
	for i, n := range lengths(relation(d.base, d.words), len(d.Factors)) {
		if n > 0 {
			return i + 1
		}
	}
	return 0
}

// Relation is the defining relation: the products of factors that are constant, the shortest first,
// such as "a*b*c*d". It is empty for a full design, and has 2ᵖ−1 words if p factors are products of
// others.
func (d *Design) Relation() []string {
	all := relation(d.base, d.words)
	slices.SortFunc(all, byOrder)
	var texts []string
	for _, w := range all {
		texts = append(texts, d.name(w))
	}
	return texts
}

// Aliases returns the main effects and two-factor interactions that are aliased with the given
// effect. An unknown factor is an error.
func (d *Design) Aliases(factors ...string) ([]string, error) {
	effect := uint64(0)
	for _, name := range factors {
		k := slices.IndexFunc(d.Factors, func(f Factor) bool { return f.Name == name })
		if k < 0 {
			return nil, fmt.Errorf("experiment: there is no factor %q", name)
		}
		effect |= 1 << k
	}
	var texts []string
	for _, e := range d.class(d.column(effect)) {
		if e != effect {
			texts = append(texts, d.name(e))
		}
	}
	return texts, nil
}

// column is the product of free factors that an effect equals.
func (d *Design) column(effect uint64) uint64 {
	c := uint64(0)
	for k := range d.Factors {
		if effect&(1<<k) != 0 {
			c ^= d.word(k)
		}
	}
	return c
}

// class returns the effects of one or two factors that equal a product of free ones.
func (d *Design) class(column uint64) (effects []uint64) {
	for i := range d.Factors {
		for j := i; j < len(d.Factors); j++ {
			if e := uint64(1)<<i | uint64(1)<<j; d.column(e) == column {
				effects = append(effects, e)
			}
		}
	}
	slices.SortFunc(effects, byOrder)
	return effects
}

// byOrder puts effects of fewer factors first.
func byOrder(a, b uint64) int {
	if n, m := bits.OnesCount64(a), bits.OnesCount64(b); n != m {
		return n - m
	}
	return cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)) // earlier factors first
}

// name formats an effect.
func (d *Design) name(effect uint64) string {
	var names []string
	for k, f := range d.Factors {
		if effect&(1<<k) != 0 {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, "*")
}
