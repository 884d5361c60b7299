package lehman

import (
	"container/heap"
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// ordersSays is what is said of the speed, in powers of ten, over methods that are not Order 1.
type ordersSays struct {
	many       reproduce.Threshold
	population float64 // individuals, as in section 5
	years      float64 // from one event of an individual to the next: a run of 30 years has about one each
}

var paperOrders = ordersSays{many: reproduce.Chosen("lehman: many orders"), population: 6e7, years: 30}

// stepPrice is how much dearer a step of the calendar may be than one of a scan, in powers of ten:
// a scan reads memory in sequence, at about a nanosecond, and the calendar at random, at up to a
// hundred.
const stepPrice = 2

// measureOrders checks the claim, counting with some numbers of events, the most last.
//
// A list without order is gone through for every event: N steps. Time steps look at each of N
// individuals in each step: 1/(step × rate) steps for an event. A heap takes 2·log₂ N comparisons
// at most to remove the earliest and log₂ N to add an event; of its entries most can be outside of
// caches, as can those of the calendar, which touches two at least: the bin and the event. So a
// heap is slower by 3·log₂ N/2 at most, whatever memory takes.
func measureOrders(run *reproduce.Runner, says ordersSays, sizes []int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "Steps for an event in the hold model", Columns: []string{"events", "calendar", "heap",
		"list", "ns, calendar", "ns, heap", "ns, list"}}
	for i, n := range sizes {
		row := []float64{float64(n), 0, 0, 0, 0, 0, 0}
		for k, set := range []countedSet{newCountedCalendar(n), &countedHeap{}, &countedList{}} {
			ops := 2 * n
			if k == 2 {
				ops = max(20, 2_000_000/n) // a list is slow
			}
			row[1+k], row[4+k] = countSet(run, set, n, ops)
		}
		table.Rows = append(table.Rows, row)
		size := float64(n)
		f.For(reproduce.Control).Check(fmt.Sprintf("steps of a list, %d events", n), row[3], size, 0,
			"all entries are gone through")
		f.For(reproduce.Control).Between(fmt.Sprintf("steps of a heap over its bound, %d events", n),
			row[2]/heapMost(size), 0, 1, 0, "3·log₂ N comparisons, a bound")
		run.Options.ReportProgress(float64(i+1) / float64(len(sizes)))
	}
	last := table.Rows[len(table.Rows)-1]
	n, day := says.population, 365.25*says.years
	list, steps, tree := math.Log10(n/last[1]), math.Log10(day/last[1]), math.Log10(heapMost(n)/2)
	alternatives := reproduce.Table{Name: "Powers of ten by which the calendar is faster with 60 million, in steps",
		Columns: []string{"method (1 list, 2 time steps of 14 s, 3 time steps of a day, 4 heap, at most)", "powers of ten"},
		Rows:    [][]float64{{1, list}, {2, math.Log10(day * 86400 / 14 / last[1])}, {3, steps}, {4, tree}}}
	f.Tables = append(f.Tables, table, alternatives)
	f.For(reproduce.Printed).AtLeast("powers of ten over a list of 60 million without order, at least", list-stepPrice,
		says.many)
	f.For(reproduce.Printed).AtLeast("powers of ten over time steps of 14 s, the mean increment, at least",
		alternatives.Rows[1][1]-stepPrice, says.many)
	f.For(reproduce.OtherReading).AtLeast("powers of ten over a heap of 60 million, at most", tree, says.many)
	f.Chart("steps", ordersChart(table))
	f.Measured = fmt.Sprintf("An event takes %.1f steps with %s events, in a heap %.1f and in a list %.0f. With 60 "+
		"million a list takes %s times as many steps as the calendar, time steps of 14 s %s times, and a heap at most "+
		"%.0f times.",
		last[1], scientific(last[0]), last[2], last[3], scientific(math.Pow(10, list)),
		scientific(math.Pow(10, alternatives.Rows[1][1])), math.Pow(10, tree))
	f.Timed = fmt.Sprintf("On this machine an event takes %.0f, %.0f and %.0f ns with %s.", last[4], last[5], last[6],
		scientific(last[0]))
	f.Notes = append(f.Notes,
		"It depends on the alternative. Those that the paper describes, looking at every individual in every time step or "+
			"at every item of a list, are of Order N: there it holds, with two powers of ten to spare for the price of a step. "+
			"A heap is not of Order 1 either, and is slower by a small factor.",
		fmt.Sprintf("Time steps of a day take %.0f times as many steps as the calendar, and are exact to a day only.",
			math.Pow(10, steps)))
	return f
}

// heapMost is how many comparisons a heap of n takes at most to remove the earliest event and to
// add one.
func heapMost(n float64) float64 { return 3 * math.Log2(n) }

// A countedSet is a pending-event set that counts its steps.
type countedSet interface {
	add(at float64) error
	next() float64
	count() int
}

// A countedCalendar is the paper's calendar with one bin an event, and a cycle of a mean jump.
type countedCalendar struct {
	paperCalendar
	free  int32
	added int
}

func newCountedCalendar(n int) *countedCalendar {
	return &countedCalendar{paperCalendar: *newPaperCalendar(n, n, 1)}
}

func (c *countedCalendar) add(at float64) error {
	c.added++
	n := c.free
	if n == 0 {
		n = int32(c.added)
	}
	return c.schedule(n, at)
}

func (c *countedCalendar) next() float64 {
	c.free = c.dispatch()
	return c.now
}

// count is a step for a bin passed, a comparison, a ticket dropped and one taken.
func (c *countedCalendar) count() int { return c.passed + c.compared + 2*c.added }

// A countedHeap is a binary heap of the standard library.
type countedHeap struct {
	at       []float64
	compared int
}

func (h *countedHeap) Len() int           { return len(h.at) }
func (h *countedHeap) Less(i, j int) bool { h.compared++; return h.at[i] < h.at[j] }
func (h *countedHeap) Swap(i, j int)      { h.at[i], h.at[j] = h.at[j], h.at[i] }
func (h *countedHeap) Push(x any)         { h.at = append(h.at, x.(float64)) }
func (h *countedHeap) Pop() any {
	last := len(h.at) - 1
	at := h.at[last]
	h.at = h.at[:last]
	return at
}

func (h *countedHeap) add(at float64) error { heap.Push(h, at); return nil }
func (h *countedHeap) next() float64        { return heap.Pop(h).(float64) }
func (h *countedHeap) count() int           { return h.compared }

// A countedList is a list without order.
type countedList struct {
	at     []float64
	looked int
}

func (l *countedList) add(at float64) error { l.at = append(l.at, at); return nil }
func (l *countedList) count() int           { return l.looked }
func (l *countedList) next() float64 {
	first := 0
	for i, at := range l.at {
		if at < l.at[first] {
			first = i
		}
	}
	l.looked += len(l.at)
	at, last := l.at[first], len(l.at)-1
	l.at[first] = l.at[last]
	l.at = l.at[:last]
	return at
}

// countSet counts the steps for an event in the hold model with n events, and how long it takes.
func countSet(run *reproduce.Runner, s countedSet, n, ops int) (steps, ns float64) {
	r := random.New(run.Options.Seed, 0x6f726472, uint64(n))
	forEach(run, n, func(int) error { return s.add(r.Exp()) })
	before, began := s.count(), time.Now()
	forEach(run, ops, func(int) error { return s.add(s.next() + r.Exp()) })
	return float64(s.count()-before) / float64(ops), float64(time.Since(began).Nanoseconds()) / float64(ops)
}

func ordersChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Steps for an event", XLabel: "events", YLabel: "steps", LogX: true, LogY: true,
		LegendBeside: true, Series: []plot.Series{{Name: "list"}, {Name: "heap"}, {Name: "calendar"}}}
	for _, row := range t.Rows {
		for i, column := range []int{3, 2, 1} {
			c.Series[i].Add(row[0], row[column])
		}
	}
	return c
}
