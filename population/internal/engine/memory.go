package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Estimate is how much memory a run takes, in bytes: at the start, and at most, should something be about to happen to everybody at once.
func Estimate(m *program.Program, o *Options) (start, most uint64) {
	d := newDemand(m, o)
	more := d.atMost()
	return BytesOf(d.total(o.AtOnce(), false)), BytesOf(more.total(o.AtOnce(), false))
}

// A demand is what memory is needed for, in bytes. Numbers of this size may be far beyond what fits a word, so they are floats.
type demand struct {
	individuals float64
	each        float64 // of an individual, in use at the start
	most        float64 // the same if something is about to happen to everybody
	busy        float64 // the share of individuals that have something to come
	fixed       float64 // of a replica, whatever its size
	recorded    float64 // of all replicas together
}

// Bytes of an individual, beside its words.
const (
	recordBytes     = 12      // in the calendar, whether or not something will happen to it
	eventBytes      = 16.6    // more there, if something will before the end
	nextBytes       = 8       // in place of both, if it is run by windows: a word more
	listBytes       = 4.2     // more then, if something will happen before the end
	windowBytes     = 8 << 20 // of a core then, for those who are due at the time
	groupBytes      = 8       // for each attribute that mixing is by
	numberBytes     = 8       // if somebody listens to events
	stateCacheBytes = 1       // of the copy of its state; see glance.go
	originBytes     = 16      // of a timer, if the run can be forked
	tieBytes        = 8       // at most, if many share an instant: what they are called by, and what that grew from
	sparseBytes     = 36      // of a timer that lies aside, at the usual load of the table
	fixedBytes      = 8 << 20
	overhead        = 1.02 // pages that are not full, and what the runtime keeps about memory
)

// atMost is the demand if something is about to happen to everybody.
func (d demand) atMost() demand {
	d.each = d.most
	return d
}

// total is what so many replicas at once take, in use or, of address space, asked for: arrays have room for those to come.
func (d *demand) total(workers int, asked bool) float64 {
	one := float64(d.each * d.individuals)
	if asked {
		one = float64(one * (1.0 + 1.0/leastSpare))
	}
	return float64(float64(workers)*(d.fixed+one)) + d.recorded
}

// newDemand works out what a run needs. Which timers lie aside, and how many have an event to come, a sample tells.
func newDemand(m *program.Program, o *Options) demand {
	const sample = 2000
	n := max(o.Replicas, 1)
	r := Run{sparseRule: usualSparse, layoutOf: m}
	if o.Forks {
		r.sparseRule.least = math.MaxInt
	}
	small := *m
	events, aside := 1.0, 0.0
	if m.Size > 50*sample {
		small.StartCounts = make([]int, len(m.StartCounts))
		small.StartGroups = slices.Clone(m.StartGroups)
		small.Size = 0
		for i := range small.StartGroups {
			b := &small.StartGroups[i]
			b.Count = int(math.Round(float64(b.Count) / float64(m.Size) * sample))
			small.StartCounts[b.To] += b.Count
			small.Size += b.Count
		}
		// The seed has no part in it, so that all runs of a model are judged alike.
		if err := r.Start(context.Background(), &small, 0, 0); err == nil && small.Size > 0 {
			events = float64(r.Queue.Len()) / float64(small.Size)
			if r.sparseTimers != nil {
				aside = float64(r.sparseTimers.Count()) / float64(small.Size)
			}
		}
	} else {
		small.Size, small.StartCounts, small.StartGroups = 0, nil, nil
		_ = r.Start(context.Background(), &small, 0, 0) // for the layout
	}
	rule := o.windowRule()
	byWindows := !o.Forks && o.OnEvent == nil && rule.allows(m) && events >= rule.busy
	// From here on the sample has the arrays that a replica of the run will have.
	r.OnEvent, r.forkable, r.caching = o.OnEvent, o.Forks, cachesStates(m) && !byWindows
	if byWindows {
		r.windows = new(windows)
	}
	common := float64(r.besideWords())
	if byWindows {
		common += nextBytes
	}
	for _, mixes := range m.Mixes {
		if mixes {
			common += groupBytes
		}
	}
	if n > o.AtOnce() && !byWindows {
		common += recordBytes / usualSpare // a second calendar is in memory that was used before, all of it
	}
	d := demand{individuals: float64(m.Size), fixed: fixedBytes, busy: events}
	event := eventBytes
	if byWindows {
		event = listBytes
		d.fixed += float64(windowBytes * float64(runtime.GOMAXPROCS(0)))
	}
	d.each = float64(overhead * (float64(8*r.stride) + float64(event*events) + float64(sparseBytes*aside) + common))
	d.most = float64(overhead * (float64(8*(headWords+len(r.sparse))) + eventBytes + tieBytes + common))
	if byWindows {
		d.most += overhead * recordBytes // it may come to need a calendar
	}
	if r.sparseTimers != nil {
		d.most += float64(8 * r.stride) // the words are copied when timers no longer lie aside
	}
	d.fixed += float64(groupTallyBytes(m))
	d.recorded = float64(n) * (float64(float64(len(m.Rows))*RecordedBytes(m)) + 512)
	return d
}

// besideWords is how many bytes the arrays and the calendar of a replica have for an individual,
// beside its words and the event to come.
func (r *Run) besideWords() int {
	each := columnBytes(r.Program)
	if r.windows == nil {
		each += recordBytes
	}
	if r.caching {
		each += stateCacheBytes
	}
	if r.OnEvent != nil {
		each += numberBytes
	}
	if r.forkable {
		each += originBytes * len(r.sparse)
	}
	return each
}

// Afford decides how many replicas are run at once: as many as are asked for, or, if nobody asked for a number, as have room. It
// is an error if there is not enough for that, or for one.
func Afford(m *program.Program, o *Options, p *Budget) (workers int, err error) {
	workers = o.AtOnce()
	d := newDemand(m, o)
	p.each, p.busy = d.each, d.busy
	if p.Limit == 0 && d.total(workers, true) < 4*fixedBytes*float64(workers) {
		p.workers = workers
		return workers, nil // it is not worth looking
	}
	room := p.room()
	if most := d.atMost(); p.Limit == 0 && most.total(workers, true) > float64(min(room.Pages, room.Address)) {
		p.release() // what runs of this program that are over have left is not in use
		room = p.room()
	}
	fits := func(d *demand, workers int) bool {
		return d.total(workers, false) <= float64(room.Pages) && d.total(workers, true) <= float64(room.Address)
	}
	if o.Workers == 0 {
		// As many as fit whatever happens, or one.
		most := d.atMost()
		for workers > 1 && !fits(&most, workers) {
			workers--
		}
	}
	if fits(&d, workers) {
		p.workers = workers
		// Room for many more is asked for in advance only if it may be.
		p.spare = usualSpare
		if d.total(workers, true)*(1+1.0/usualSpare) > float64(room.Address) {
			p.spare = leastSpare
		}
		return workers, nil
	}
	need, have := d.total(workers, false), float64(room.Pages)
	if have >= need {
		need, have = d.total(workers, true), float64(room.Address)
	}
	return 0, fmt.Errorf("%s: %w: the run needs about %s, and %s are available%s", m.Name, ErrMemory, inBytes(need), inBytes(have), instead(&d, workers, have, func(workers int) bool { return fits(&d, workers) }))
}

// instead says what would fit.
func instead(d *demand, workers int, have float64, fits func(int) bool) string {
	for fewer := workers - 1; fewer > 0; fewer-- {
		if fits(fewer) {
			return fmt.Sprintf("; with %d workers it would fit", fewer)
		}
	}
	size := d.individuals
	for size > 0 && !fits(workers) {
		// What is left for individuals, and somewhat less; it is linear, but for what is recorded and rounding.
		left := (have - d.recorded - float64(float64(workers)*d.fixed)) / (float64(workers) * d.each * (1 + 1.0/leastSpare))
		size = min(roundDown(left), size-1)
		d.individuals = max(0, size)
	}
	switch {
	case size <= 0 && d.recorded > float64(workers)*d.fixed:
		return "; record fewer rows, or run fewer replicas"
	case size <= 0:
		return ""
	}
	return fmt.Sprintf("; with a size of %s it would fit", strings.ReplaceAll(format.Thousands(float64(int(size))), ",", "_"))
}

// roundDown is a number with two digits that mean something.
func roundDown(x float64) float64 {
	if !(x >= 1) {
		return 0
	}
	step := portable.Pow(10, math.Max(0, math.Floor(portable.Log10(x))-1))
	return math.Floor(x/step) * step
}

// inBytes is a number of bytes as one says it.
func inBytes(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.3g %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g kB", n/1e3)
}

func BytesOf(x float64) uint64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return uint64(x)
}

// roomOf is a limit as a room.
func roomOf(limit, used uint64) memory.Room {
	return memory.Room{Pages: limit - min(limit, used), Address: memory.Unknown}
}

// ErrMemory is the error of a run that would take, or has come to take, more memory than there is.
var ErrMemory = errors.New("not enough memory")
