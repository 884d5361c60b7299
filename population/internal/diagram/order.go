package diagram

import (
	"cmp"
	"slices"
)

// sweeps is how often the columns are put in order, to and fro. The number of crossings rarely falls after a few.
const sweeps = 12

// order puts the items of each column into an order that has few crossings.
func (s *sheet) order() {
	best, fewest := s.copyColumns(), s.crossings()
	for range sweeps {
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

// sortBy orders a column by the mean position of each item's neighbours on one side. The connected parts of the graph
// stay one below the other.
func (s *sheet) sortBy(c int, links side) {
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
			for k := 1; k < len(column); k++ {
				upper, lower := column[k-1], column[k]
				if s.items[upper].component != s.items[lower].component || s.saved(upper, lower) <= 0 {
					continue
				}
				column[k-1], column[k] = lower, upper
				s.position[upper], s.position[lower] = k, k-1
				swapped = true
			}
		}
	}
}

// saved is how many crossings fewer there would be if two neighbours in a column swapped places.
func (s *sheet) saved(upper, lower int) int {
	n := 0
	for _, links := range []side{leftLinks, rightLinks} {
		for _, a := range links(&s.items[upper]) {
			for _, b := range links(&s.items[lower]) {
				n += cmp.Compare(s.position[a.to], s.position[b.to])
			}
		}
	}
	return n
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

// links lists the right ends of all links from a column, by position, from the uppermost link to the lowest.
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

// A tally counts numbers and tells how many were not above a bound, both in logarithmic time (Fenwick 1994).
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
