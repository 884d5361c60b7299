package diagram

import (
	"cmp"
	"slices"
)

// sweeps is how often the columns are put in order, to and fro. The number of crossings rarely
// falls after a few.
const sweeps = 12

// order puts the items of each column into an order that has few crossings.
func (s *sheet) order() {
	best, fewest := s.copyColumns(), s.crossings()
	for range sweeps {
		if s.err != nil {
			return
		}
		for c := 1; c < len(s.columns); c++ {
			s.sortBy(c, leftLinks)
		}
		s.swapAll()
		for c := len(s.columns) - 2; c >= 0; c-- {
			s.sortBy(c, rightLinks)
		}
		s.swapAll()
		if n := s.crossings(); n < fewest {
			best, fewest = s.copyColumns(), n
		}
	}
	s.columns = best
	for _, column := range s.columns {
		s.number(column)
	}
}

func leftLinks(it *item) []link  { return it.left }
func rightLinks(it *item) []link { return it.right }

func (s *sheet) copyColumns() [][]int {
	all := make([][]int, len(s.columns))
	for c, column := range s.columns {
		all[c] = slices.Clone(column)
	}
	return all
}

// sortBy orders a column by the mean position of each item's neighbours on one side. The connected
// parts of the graph stay one below the other.
func (s *sheet) sortBy(c int, links side) {
	if !s.spend(8 * len(s.columns[c])) {
		return
	}
	mean := make([]float64, len(s.columns[c]))
	for place, i := range s.columns[c] {
		mean[place] = float64(place) // without neighbours it stays where it is
		if near := links(&s.items[i]); len(near) > 0 {
			sum := 0
			for _, l := range near {
				sum += s.position[l.to]
			}
			mean[place] = float64(sum) / float64(len(near))
		}
	}
	slices.SortStableFunc(s.columns[c], func(a, b int) int {
		return cmp.Or(
			cmp.Compare(s.items[a].component, s.items[b].component),
			cmp.Compare(mean[s.position[a]], mean[s.position[b]]),
		)
	})
	s.number(s.columns[c])
}

// swapAll lets neighbours in a column swap places where that saves crossings, until none does.
func (s *sheet) swapAll() {
	for swapped := true; swapped; {
		swapped = false
		for _, column := range s.columns {
			steps := len(column)
			for k := 1; k < len(column); k++ {
				upper, lower := column[k-1], column[k]
				if s.items[upper].component != s.items[lower].component {
					continue
				}
				saved, took := s.saved(upper, lower)
				if steps += took; saved <= 0 {
					continue
				}
				column[k-1], column[k] = lower, upper
				s.position[upper], s.position[lower] = k, k-1
				swapped = true
			}
			if !s.spend(steps) {
				return
			}
		}
	}
}

// saved is how many crossings fewer there would be if two neighbours in a column swapped places,
// and how many steps it took to find out: the product of the numbers of their links, or the sum
// where that is less.
func (s *sheet) saved(upper, lower int) (saved, steps int) {
	a, b := &s.items[upper], &s.items[lower]
	left, took := s.above(a.left, b.left)
	right, more := s.above(a.right, b.right)
	return left + right, took + more
}

// fewPairs is up to how many pairs of links each is looked at; more are counted by the sorted
// positions.
const fewPairs = 64

// above is of how many pairs the first link ends below the second, less those of which it ends
// above it.
func (s *sheet) above(upper, lower []link) (n, steps int) {
	if pairs := len(upper) * len(lower); pairs <= fewPairs {
		for _, a := range upper {
			for _, b := range lower {
				n += cmp.Compare(s.position[a.to], s.position[b.to])
			}
		}
		return n, pairs
	}
	as, bs := s.ends(upper), s.ends(lower)
	less, upTo := 0, 0 // how many of bs are below, and not above, the position
	for _, a := range as {
		for less < len(bs) && bs[less] < a {
			less++
		}
		for upTo < len(bs) && bs[upTo] <= a {
			upTo++
		}
		n += less - (len(bs) - upTo)
	}
	return n, 8 * (len(as) + len(bs))
}

// ends are the positions of the ends of links, in order.
func (s *sheet) ends(links []link) []int {
	all := make([]int, len(links))
	for k, l := range links {
		all[k] = s.position[l.to]
	}
	slices.Sort(all)
	return all
}

// crossings counts them between all columns.
func (s *sheet) crossings() int {
	n := 0
	for c := 1; c < len(s.columns); c++ {
		ends := make(tally, len(s.columns[c])+1) // of the links seen so far
		for seen, i := range s.links(c - 1) {
			n += seen - ends.upTo(i)
			ends.add(i)
		}
	}
	return n
}

// links lists the right ends of all links from a column, by position, from the uppermost link to
// the lowest.
func (s *sheet) links(c int) []int {
	var all []int
	for _, i := range s.columns[c] {
		first := len(all)
		for _, l := range s.items[i].right {
			all = append(all, s.position[l.to])
		}
		slices.Sort(all[first:])
	}
	return all
}

// A tally counts numbers and tells how many were not above a bound, both in logarithmic time
// (Fenwick 1994).
type tally []int

func (t tally) add(number int) {
	for k := number + 1; k < len(t); k += k & -k {
		t[k]++
	}
}

func (t tally) upTo(number int) int {
	n := 0
	for k := number + 1; k > 0; k -= k & -k {
		n += t[k]
	}
	return n
}
