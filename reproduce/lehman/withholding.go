package lehman

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// withholdingSays is what withholding is said to do: what it takes over what there would be without
// it.
type withholdingSays struct {
	events  reproduce.Threshold // “considerably reduced”
	cancels float64             // “reduced”
	each    float64             // events an individual, “precisely”
}

var paperWithholding = withholdingSays{events: reproduce.Chosen("lehman: considerably"), cancels: 1, each: 1}

// The kinds of events of an individual, as section 5 lists them, and recovery.
const (
	death = iota
	emigration
	vaccination
	onset
	transmission
	recovery
	lifeKinds
)

// An agenda is array A of section 3: the events that each individual has pending. Of these it gives
// the calendar all, or the earliest only.
type agenda struct {
	calendar  *paperCalendar
	withhold  bool
	due       []float64 // of each individual and kind, infinity if there is none
	scheduled []int     // the kind that the calendar has of each individual, or −1

	schedules, cancels int     // what the calendar was asked
	pending            float64 // events in the calendar, added up over those dispatched
	least, most        int     // events in the calendar
}

func newAgenda(n int, withhold bool) *agenda {
	size := n * lifeKinds
	if withhold {
		size = n
	}
	a := &agenda{calendar: newPaperCalendar(size, n, 1), withhold: withhold, due: make([]float64, n*lifeKinds),
		scheduled: make([]int, n), least: math.MaxInt}
	for i := range a.due {
		a.due[i] = math.Inf(1)
	}
	for i := range a.scheduled {
		a.scheduled[i] = -1
	}
	return a
}

// set makes an event of an individual due, and drop removes one. settle follows when all changes of
// that individual are made.
func (a *agenda) set(n, kind int, at float64) {
	a.due[n*lifeKinds+kind] = at
	if !a.withhold {
		a.schedule(n*lifeKinds+kind+1, at)
	}
}

func (a *agenda) drop(n, kind int) {
	i := n*lifeKinds + kind
	if math.IsInf(a.due[i], 1) {
		return
	}
	a.due[i] = math.Inf(1)
	if !a.withhold {
		a.cancel(i + 1)
	}
}

// settle gives the calendar the earliest event of an individual, if that is another than before.
func (a *agenda) settle(n int) {
	if !a.withhold {
		return
	}
	due := a.due[n*lifeKinds:][:lifeKinds]
	first := 0
	for kind, at := range due {
		if at < due[first] {
			first = kind
		}
	}
	if was := a.scheduled[n]; was >= 0 {
		if was == first && a.calendar.at[n+1] == due[first] {
			return
		}
		a.cancel(n + 1)
	}
	a.scheduled[n] = first
	a.schedule(n+1, due[first])
}

func (a *agenda) schedule(id int, at float64) {
	a.schedules++
	if err := a.calendar.schedule(int32(id), at); err != nil {
		panic(err) // the conditions of Algorithm 1 are met
	}
}

func (a *agenda) cancel(id int) {
	a.cancels++
	if err := a.calendar.cancel(int32(id)); err != nil {
		panic(err) // the conditions of Algorithm 2 are met
	}
}

// next dispatches an event.
func (a *agenda) next() (n, kind int, at float64) {
	now := a.calendar.pending
	a.least, a.most = min(a.least, now), max(a.most, now)
	a.pending += float64(now)
	id := int(a.calendar.dispatch()) - 1
	n, kind = id/lifeKinds, id%lifeKinds
	if a.withhold {
		n, kind = id, a.scheduled[id]
		a.scheduled[n] = -1
	}
	a.due[n*lifeKinds+kind] = math.Inf(1)
	return n, kind, a.calendar.now
}

// A society is what happens to individuals, in years: start begins a life, and happen is what an
// event does.
type society struct {
	name   string
	start  func(a *agenda, n int, now float64, r *random.Stream)
	happen func(a *agenda, n, kind int, now float64, r *random.Stream)
}

// beginLife gives a newborn its events.
func beginLife(a *agenda, n int, now float64, r *random.Stream) {
	a.set(n, death, now+70*r.Exp())
	a.set(n, emigration, now+200*r.Exp())
	a.set(n, vaccination, now+12+2*r.Float64())
	if r.Below(10) == 0 { // infected before
		a.set(n, onset, now+5*r.Exp())
	}
}

// epidemic has the kinds of events of section 5. A person who leaves is replaced by a newborn.
var epidemic = society{"epidemic", beginLife,
	func(a *agenda, n, kind int, now float64, r *random.Stream) {
		switch kind {
		case death, emigration:
			for other := range lifeKinds {
				a.drop(n, other)
			}
			beginLife(a, n, now, r)
		case onset:
			a.set(n, transmission, now+0.25*r.Exp())
			a.set(n, recovery, now+0.5*r.Exp())
		case transmission:
			a.set(n, transmission, now+0.25*r.Exp())
			// Contacts infect those who have a vaccination before them and are neither infected nor ill.
			other := int(r.Below(uint64(len(a.scheduled))))
			theirs := a.due[other*lifeKinds:][:lifeKinds]
			delay := 5 * r.Exp()
			healthy := math.IsInf(theirs[onset], 1) && math.IsInf(theirs[recovery], 1)
			if other != n && healthy && !math.IsInf(theirs[vaccination], 1) {
				a.drop(other, vaccination)
				a.set(other, onset, now+delay)
				a.settle(other)
			}
		case recovery:
			a.drop(n, transmission)
			if delay := r.Exp(); math.IsInf(a.due[n*lifeKinds+vaccination], 1) {
				a.set(n, vaccination, now+delay)
			}
		}
		a.settle(n)
	}}

// visits is a society in which others only add events: an individual has a clock of its own, and
// each time it strikes another one gets a visit.
var visits = society{"visits",
	func(a *agenda, n int, now float64, r *random.Stream) { a.set(n, death, now+r.Exp()) },
	func(a *agenda, n, kind int, now float64, r *random.Stream) {
		if kind == death {
			a.set(n, death, now+r.Exp())
			other, delay := int(r.Below(uint64(len(a.scheduled)))), 0.1*r.Exp()
			if other != n && math.IsInf(a.due[other*lifeKinds+onset], 1) {
				a.set(other, onset, now+delay)
				a.settle(other)
			}
		}
		a.settle(n)
	}}

// live runs a society of n individuals for so many events, and returns what the calendar was asked
// and a number that depends on every event, its kind, and their order.
func live(run *reproduce.Runner, s society, n, events int, withhold bool) (*agenda, uint64) {
	a := newAgenda(n, withhold)
	r := random.New(run.Options.Seed, 0x6c697665, uint64(n))
	forEach(run, n, func(i int) error {
		s.start(a, i, 0, &r)
		a.settle(i)
		return nil
	})
	a.schedules = 0
	order := uint64(14695981039346656037) // FNV-1a, over words
	forEach(run, events, func(int) error {
		who, kind, now := a.next()
		order = (order ^ uint64(who*lifeKinds+kind)) * 1099511628211
		s.happen(a, who, kind, now, &r)
		return nil
	})
	return a, order
}

// measureWithholding checks the claim with n individuals and so many events.
func measureWithholding(run *reproduce.Runner, says withholdingSays, n, events int) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "What the calendar is asked, for an event dispatched", Columns: []string{
		"society (1 epidemic, 2 visits only)", "events given to the calendar (1 the earliest, 2 all)",
		"events in the calendar for an individual", "fewest", "most", "scheduled", "cancelled"}}
	per := func(a *agenda, i, k int) []float64 {
		size, all := float64(n), float64(events)
		return []float64{float64(i), float64(k), a.pending / all / size, float64(a.least) / size, float64(a.most) / size,
			float64(a.schedules) / all, float64(a.cancels) / all}
	}
	for i, s := range []society{epidemic, visits} {
		one, order := live(run, s, n, events, true)
		run.Options.ReportProgress(float64(4*i+1) / 8)
		all, other := live(run, s, n, events, false)
		run.Options.ReportProgress(float64(4*i+4) / 8)
		table.Rows = append(table.Rows, per(one, i+1, 1), per(all, i+1, 2))
		f.For(reproduce.Control).Check("both ways have the same events in the same order, "+s.name, yes(order == other), 1, 0,
			"the random numbers are the same, and times differ")
	}
	f.Tables = append(f.Tables, table)
	one, all, few, none := table.Rows[0], table.Rows[1], table.Rows[2], table.Rows[3]
	f.For(reproduce.Printed).AtMost("events in the calendar, the earliest over all", one[2]/all[2], says.events)
	f.Between("cancelled, the earliest over all", one[6]/all[6], 0, says.cancels, 0, "“is reduced”")
	const precisely = "“precisely one event per individual”"
	f.Check("fewest events in the calendar for an individual", one[3], says.each, 0, precisely)
	f.Check("most events in the calendar for an individual", one[4], says.each, 0, precisely)
	f.Chart("calls", withholdingChart(table))
	f.Measured = fmt.Sprintf("In a model with the kinds of events of section 5, the calendar has exactly one event "+
		"for an individual, and %.2f if it is given all; for an event dispatched, %.3f are cancelled in place of %.3f, "+
		"and %.2f scheduled in place of %.2f.", all[2], one[6], all[6], one[5], all[5])
	f.Notes = append(f.Notes,
		"When an individual dies, its other events are still pending. If the calendar has them, each must be cancelled; "+
			"if they are withheld, none. A change made by another individual cancels at most one event if they are withheld.",
		fmt.Sprintf("That fewer events are cancelled depends on the model. Where others only add events to an individual "+
			"and remove none, nothing is cancelled if the calendar has all events. If they are withheld, the scheduled event "+
			"is replaced by one that is earlier: %.3f are cancelled for an event dispatched, in place of %.0f.",
			few[6], none[6]),
		"How many events an individual has pending is a property of our model. The paper says “many”, so that the "+
			"reduction was larger there.")
	return f
}

func withholdingChart(t reproduce.Table) plot.Chart {
	c := plot.Chart{Title: "Calls for an event dispatched, epidemic",
		XLabel: "events given to the calendar (1 the earliest, 2 all)", YLabel: "for an event", FromZero: true,
		LegendBeside: true,
		Series: []plot.Series{{Name: "scheduled", Points: true}, {Name: "cancelled", Points: true},
			{Name: "events for an individual", Points: true}}}
	for _, row := range t.Rows[:2] {
		for i, column := range []int{5, 6, 2} {
			c.Series[i].Add(row[1], row[column])
		}
	}
	return c
}
