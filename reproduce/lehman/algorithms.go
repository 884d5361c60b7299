package lehman

import "errors"

// unscheduled is PZ, the forward index of an event that is not scheduled.
const unscheduled = -1

// errPaper is what the paper ends the program with, where an algorithm is used against its conditions.
var errPaper = errors.New("reproduce: an algorithm of the paper was used against its conditions")

// A paperCalendar is the calendar of the paper's appendix: Algorithms 1 to 3, line by line, with Algorithm 5 for sorting. What is here
// and not in the paper is the count of steps. [calendar.Static] departs from it (see its comment), so that what is said of the
// algorithms as printed is measured on these.
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
	c := &paperCalendar{sorter: sorter{links: make([]int32, n+1), at: make([]float64, n+1)}, heads: make([]int32, bins), width: width, to: width}
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
	if c.cancelFrom(n, i) || c.cancelFrom(n, (i-1+bins)%bins) || c.cancelFrom(n, (i+1)%bins) {
		return nil
	}
	return errPaper
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

// tickets counts the entries in the bin of an event.
func (c *paperCalendar) tickets(n int32) (count int) {
	i := c.binOf(c.at[n])
	for j := max(c.heads[i], -c.heads[i]); j > 0; j = c.links[j] {
		count++
	}
	return count
}
