package lehman

import (
	"errors"
)

// unscheduled is PZ, the forward index of an event that is not scheduled.
const unscheduled = -1

// errPaper is what the paper ends the program with, where an algorithm is used against its
// conditions.
var errPaper = errors.New("reproduce: an algorithm of the paper was used against its conditions")

// errOutside is returned where the paper's program would write outside the array Q, which has no
// bin of that number.
var errOutside = errors.New("reproduce: an algorithm of the paper would write outside its array")

// errLost is ExitMsg(8) of Algorithm 2: the event is not in its bin nor in those beside it.
var errLost = errors.New("reproduce: an event of the paper's calendar is not where it is looked for")

// A paperCalendar is the calendar of the paper's appendix: Algorithms 1 to 4, line by line, with
// Algorithm 5 for sorting. What is here and not in the paper is the count of steps, and that a bin
// outside the array is refused. [static.Queue] departs from it (see its comment), so that what is
// said of the algorithms as printed is measured on these.
type paperCalendar struct {
	sorter           // T and P
	heads    []int32 // Q: the first event of each bin, 0 if it is empty, negative if it is not sorted
	width    float64 // Qw: of all bins together
	bin      int     // Qi: the current one
	pending  int     // Qe
	from, to float64 // Qt0 and Qt1: where this cycle begins and the next
	now      float64 // t

	passed  int // bins gone past
	flipped int // entries looked at to cancel
}

// newPaperCalendar has room for the events 1 to n, in some bins that are together so wide.
func newPaperCalendar(n, bins int, width float64) *paperCalendar {
	c := &paperCalendar{sorter: sorter{links: make([]int32, n+1), at: make([]float64, n+1)}, heads: make([]int32, bins),
		width: width, to: width}
	for i := range c.links {
		c.links[i] = unscheduled
	}
	return c
}

// binOf is the bin for a time, modulo the cycle.
func (c *paperCalendar) binOf(at float64) int {
	cycles := (at - c.from) / c.width
	return int((cycles - float64(int(cycles))) * float64(len(c.heads)))
}

// schedule is Algorithm 1.
func (c *paperCalendar) schedule(n int32, at float64) error {
	if n < 1 || int(n) >= len(c.links) || c.links[n] != unscheduled || !(at >= c.now) {
		return errPaper
	}
	c.at[n] = at
	i := c.binOf(at)
	if i < 0 || i >= len(c.heads) {
		return errOutside
	}
	c.links[n], c.heads[i] = max(c.heads[i], -c.heads[i]), -n
	c.pending++
	return nil
}

// cancel is Algorithm 2: rounding may have put the event into a bin beside its own.
func (c *paperCalendar) cancel(n int32) error {
	if n < 1 || int(n) >= len(c.links) || c.links[n] == unscheduled {
		return errPaper
	}
	i, bins := c.binOf(c.at[n]), len(c.heads)
	if i < 0 || i >= bins {
		return errOutside
	}
	if c.cancelFrom(n, i) || c.cancelFrom(n, (i-1+bins)%bins) || c.cancelFrom(n, (i+1)%bins) {
		return nil
	}
	return errLost
}

// cancelFrom is subcancel.
func (c *paperCalendar) cancelFrom(n int32, i int) bool {
	before := int32(0)
	for j := max(c.heads[i], -c.heads[i]); j > 0; before, j = j, c.links[j] {
		c.flipped++
		if j != n {
			continue
		}
		switch {
		case before > 0:
			c.links[before] = c.links[j]
		case c.heads[i] > 0:
			c.heads[i] = c.links[j]
		default:
			c.heads[i] = -c.links[j]
		}
		c.links[j] = unscheduled
		c.pending--
		return true
	}
	return false
}

// dispatch is Algorithm 3: it returns the next event, or 0 if there is none.
func (c *paperCalendar) dispatch() int32 {
	for c.pending > 0 {
		for c.bin < len(c.heads) {
			j := c.heads[c.bin]
			if j == 0 {
				c.bin++
				c.passed++
				continue
			}
			if j < 0 {
				j = c.sort(-j)
				c.heads[c.bin] = j
			}
			if c.at[j] < c.to {
				c.heads[c.bin], c.links[j] = c.links[j], unscheduled
				c.pending--
				c.now = c.at[j]
				return j
			}
			c.bin++
			c.passed++
		}
		c.bin = 0
		c.from += c.width
		c.to = c.from + c.width
	}
	return 0
}

// renumber is Algorithm 4: the event of m becomes that of n.
func (c *paperCalendar) renumber(n, m int32) error {
	if n < 1 || int(n) >= len(c.links) || m < 1 || int(m) >= len(c.links) {
		return errPaper
	}
	if n == m {
		return nil
	}
	c.at[n] = c.at[m]
	if err := c.cancel(m); err != nil {
		return err
	}
	return c.schedule(n, c.at[n])
}

// tickets counts the entries in the bin of an event.
func (c *paperCalendar) tickets(n int32) (count int) {
	i := c.binOf(c.at[n])
	for j := max(c.heads[i], -c.heads[i]); j > 0; j = c.links[j] {
		count++
	}
	return count
}

// A sorter is Algorithm 5 of the paper, line by line, with its global variables as fields. It is a
// merge sort that begins with the runs that it finds: a caller that asks for n entries gets at
// least as many, since a run is taken whole. What is here and not in the paper is the count of
// comparisons.
type sorter struct {
	links []int32   // P: the entry that follows each one, 0 at the end; links[0] is unused
	at    []float64 // T: when each entry is due
	next  int32     // pc: the first entry that no run has taken yet
	last  int32     // pr: the entry looked at before
	m     int       // how many entries were sorted by the isort that returned last

	compared int // how often order was called
	lists    int // how many lists were sorted
	entries  int // in these lists, together
}

// newSorter has a list of entries with these times, from its first to its last. The index of the
// first is 1, or 0 if there is none.
func newSorter(times []float64) (s *sorter, first int32) {
	s = &sorter{links: make([]int32, len(times)+1), at: append([]float64{0}, times...)}
	return s, s.relink()
}

// relink makes one list of all entries again, in the order of their indexes, and returns the first.
func (s *sorter) relink() (first int32) {
	n := len(s.links) - 1
	for i := 1; i <= n; i++ {
		s.links[i] = int32((i + 1) % (n + 1))
	}
	return int32(min(1, n))
}

// runsOf counts the runs that a list of these times has: stretches that are in order as they lie.
func runsOf(times []float64) int {
	runs := min(1, len(times))
	for i := 1; i < len(times); i++ {
		if times[i-1] > times[i] {
			runs++
		}
	}
	return runs
}

// comparisonsOf counts the comparisons that Algorithm 5 makes to sort a list of these times.
func comparisonsOf(times []float64) int {
	s, first := newSorter(times)
	s.sort(first)
	return s.compared
}

// order is negative, zero or positive if u is due before v, with it, or after it.
func (s *sorter) order(u, v int32) int {
	s.compared++
	switch {
	case s.at[u] < s.at[v]:
		return -1
	case s.at[u] > s.at[v]:
		return 1
	}
	return 0
}

// sort puts the list that begins with p in order, and returns its first entry. It counts the
// entries itself, as Algorithm 3 asks it to.
func (s *sorter) sort(p int32) int32 {
	n := 0
	for i := p; i > 0; i = s.links[i] {
		n++
	}
	s.lists++
	s.entries += n
	switch n {
	case 0:
		return 0
	case 1:
		return p
	case 2:
		if s.order(p, s.links[p]) <= 0 {
			return p
		}
		i := s.links[p]
		s.links[i], s.links[p] = p, 0
		return i
	}
	s.next = p
	return s.isort(n)
}

// isort takes n entries or more from the list, and returns the first of them in order.
func (s *sorter) isort(n int) int32 {
	if n <= 1 {
		if s.next == 0 {
			return 0
		}
		first := s.next
		s.m = 0
		for {
			s.last, s.next, s.m = s.next, s.links[s.next], s.m+1
			if s.next == 0 {
				return first
			}
			if s.order(s.last, s.next) > 0 {
				break
			}
		}
		s.links[s.last] = 0
		return first
	}
	left := s.isort(n / 2)
	if n <= s.m {
		return left
	}
	m := s.m
	right := s.isort(n - m)
	s.m += m
	return s.merge(left, right)
}

// merge is imerge: it makes one list of two, and of equal entries those of p come first. v says
// which list is followed: 1 is q, 2 and 3 are p, and a negative number says that one has ended.
func (s *sorter) merge(p, q int32) int32 {
	if p == 0 {
		return q
	}
	if q == 0 {
		return p
	}
	first, v := p, 3
	if s.order(p, q) > 0 {
		first, v = q, 1
	}
	for v > 0 {
		for v == 1 {
			s.last, q = q, s.links[q]
			if q == 0 {
				v = -2
			} else if s.order(p, q) <= 0 {
				v = 2
			}
		}
		if v == 2 {
			s.links[s.last] = p
		}
		for v >= 2 {
			s.last, p = p, s.links[p]
			if p == 0 {
				v = -1
			} else if s.order(p, q) > 0 {
				v = 1
			}
		}
		if v == 1 {
			s.links[s.last] = q
		}
	}
	if v < -1 {
		s.links[s.last] = p
	} else {
		s.links[s.last] = q
	}
	return first
}
