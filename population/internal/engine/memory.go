package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Estimate returns how many bytes a run takes: at the start, and at most, if everybody had an event
// to come.
func Estimate(m *program.Program, o *Options) (start, most uint64) {
	d := newDemand(m, o)
	more := d.atMost()
	return BytesOf(d.total(o.AtOnce(), false)), BytesOf(more.total(o.AtOnce(), false))
}

// EstimatePlaces returns how many of these bytes places take at the start.
func EstimatePlaces(m *program.Program, o *Options) uint64 {
	d := newDemand(m, o)
	return BytesOf(d.places)
}

// emptyPlaceBytes is what places take that are there whether or not anybody is in them.
func emptyPlaceBytes(m *program.Program) (bytes float64) {
	for k := range m.Places {
		bytes += float64(28 * float64(m.Places[k].Number))
	}
	return bytes
}

// bytesEach returns how many bytes the places of a sample take for each of its individuals, without
// those that are there anyway.
func (p *places) bytesEach(individuals int) float64 {
	bytes := 0.0
	for _, seats := range p.kinds {
		number, _ := seats.Counts()
		all := seats.Bytes()
		if seats.Keeps() {
			all -= 28 * number
		}
		bytes += max(4, float64(all)/float64(individuals))
	}
	return bytes
}

// A demand is the memory that a run needs, in bytes. The numbers may be larger than a word holds,
// so they are floats.
type demand struct {
	individuals float64
	each        float64 // an individual, in use at the start
	most        float64 // the same if everybody has an event to come
	busy        float64 // the share of individuals with an event to come
	fixed       float64 // a run, whatever its size
	recorded    float64 // what all runs record
	places      float64 // what places take of it
}

// Bytes of an individual, in addition to its words.
const (
	recordBytes     = 12      // in the calendar, with or without an event
	eventBytes      = 16.6    // more in the calendar, with an event
	nextBytes       = 8       // instead of both, in a run by windows: one word
	listBytes       = 4.2     // more in a run by windows, with an event
	windowBytes     = 8 << 20 // of each core in a run by windows, for those due in a window
	groupBytes      = 8       // for each attribute that mixing is by
	placeBytes      = 20      // for each kind of places: a seat, its part of a block and of a place
	numberBytes     = 8       // if events are reported, or there is tracing
	logBytes        = 8       // for each name of contacts that are remembered
	errandBytes     = 80      // of an errand of tracing
	stateCacheBytes = 1       // see individuals
	originBytes     = 16      // of each timer, if the run can be forked
	tieBytes        = 8       // at most, if many share an instant: the ids, and the smaller array they outgrew
	sparseBytes     = 36      // of a sparse timer, at the usual load of the table
	fixedBytes      = 8 << 20
	overhead        = 1.02 // pages that are not full, and the runtime's own records
)

// atMost is the demand if everybody has an event to come.
func (d demand) atMost() demand {
	d.each = d.most
	return d
}

// total is what so many runs take at the same time, in use, or (asked) in address space: arrays
// have room for entrants.
func (d *demand) total(workers int, asked bool) float64 {
	one := float64(d.each * d.individuals)
	if asked {
		one = float64(one * (1.0 + 1.0/leastSpare))
	}
	return float64(float64(workers)*(d.fixed+one)) + d.recorded
}

// newDemand works out what a run needs. A sample tells which timers are sparse, and how many
// individuals have an event to come.
func newDemand(m *program.Program, o *Options) demand {
	const sample = 2000
	n := max(o.Replicas, 1)
	r := Run{sparseRule: usualSparse, layoutOf: m}
	if o.Forks {
		r.sparseRule.least = math.MaxInt
	}
	small := *m
	small.Places = slices.Clone(m.Places)
	for k := range small.Places {
		small.Places[k].Number = min(small.Places[k].Number, sample)
	}
	events, sparse, seats := 1.0, 0.0, float64(placeBytes*len(m.Places))
	if m.Size > 50*sample {
		small.StartCounts = make([]int, len(m.StartCounts))
		small.StartGroups = slices.Clone(m.StartGroups)
		small.Size = 0
		if m.People != nil {
			sample := *m.People
			sample.Every = m.Size / (2*len(m.StartGroups) + 2*1000)
			small.People = &sample
		}
		for i := range small.StartGroups {
			b := &small.StartGroups[i]
			b.Count = int(math.Round(float64(b.Count) / float64(m.Size) * sample))
			small.StartCounts[b.To] += b.Count
			small.Size += b.Count
		}
		// It does not depend on the seed, so that all runs of a program are judged alike.
		if err := r.Start(context.Background(), &small, 0, 0); err == nil && small.Size > 0 {
			events = float64(r.Queue.Len()) / float64(small.Size)
			if r.places != nil {
				seats = r.places.bytesEach(small.Size)
			}
			if r.sparseTimers != nil {
				sparse = float64(r.sparseTimers.Count()) / float64(small.Size)
			}
		}
	} else {
		small.Size, small.StartCounts, small.StartGroups, small.People = 0, nil, nil, nil
		_ = r.Start(context.Background(), &small, 0, 0) // for the layout
	}
	rule := o.windowRule()
	byWindows := !o.Forks && o.OnEvent == nil && rule.allows(m) && events >= rule.busy
	// From here on r has the arrays that the run will have.
	r.OnEvent, r.forkable, r.caching = o.OnEvent, o.Forks, cachesStates(m) && !byWindows
	if byWindows {
		r.windows = new(windows)
	}
	common := float64(r.besideWords())
	if byWindows {
		common += nextBytes
	}
	for _, mixes := range m.MixesBy {
		if mixes {
			common += groupBytes
		}
	}
	if n > o.AtOnce() && !byWindows {
		common += recordBytes / usualSpare // a second calendar lies in memory that was used before, all of it
	}
	common += seats - float64(placeBytes*len(m.Places))
	d := demand{individuals: float64(max(m.Size, o.Individuals)), fixed: fixedBytes + emptyPlaceBytes(m), busy: events}
	d.places = float64(d.individuals*seats) + emptyPlaceBytes(m)
	event := eventBytes
	if byWindows {
		event = listBytes
		d.fixed += float64(windowBytes * float64(runtime.GOMAXPROCS(0)))
	}
	d.each = float64(overhead * (float64(8*r.stride) + float64(event*events) + float64(sparseBytes*sparse) + common))
	d.most = float64(overhead * (float64(8*(headWords+len(r.sparse))) + eventBytes + tieBytes + common))
	if byWindows {
		d.most += overhead * recordBytes // it may switch to the calendar
	}
	if r.sparseTimers != nil {
		d.most += float64(8 * r.stride) // the words are copied when sparse timers are packed
	}
	if m.Calls != nil && m.Size > 0 {
		for i := range m.Calls.Logs {
			d.most += float64(program.RememberedBytes * m.Calls.Logs[i].Most(m) / float64(m.Size))
		}
	}
	d.fixed += float64(groupTallyBytes(m))
	for k := range m.Networks {
		d.fixed += float64(m.ExpectedLinks(k)*(m.Networks[k].LinkBytes()+pairBytes)) + float64(rowBytes*float64(m.Size))
	}
	for i := range m.Windows {
		d.fixed += float64(8 * m.Windows[i].Keep)
	}
	d.recorded = float64(n) * (float64(float64(len(m.RecordTimes))*RecordedBytes(m)) + 512)
	return d
}

// besideWords is how many bytes an individual takes in arrays and calendar, in addition to its
// words and its event.
func (r *Run) besideWords() int {
	each := columnBytes(r.Program) + branchBytes(r.Program) + personalBytes(r.Program) + placeBytes*len(r.Program.Places)
	if r.windows == nil {
		each += recordBytes
	}
	if r.caching {
		each += stateCacheBytes
	}
	each += observerBytes(r.Program)
	if r.numbered() {
		each += numberBytes
	}
	if m := r.Program; m.Calls != nil {
		each += logBytes * len(m.Calls.Logs)
	}
	if r.forkable {
		each += originBytes * len(r.sparse)
	}
	return each
}

// Afford decides how many runs there are at the same time: as many as Options ask for, or else as
// many as fit. It is an error if those, or a single one, do not fit.
func Afford(m *program.Program, o *Options, p *Budget) (workers int, err error) {
	workers = o.AtOnce()
	d := newDemand(m, o)
	p.each, p.busy = d.each, d.busy
	least := d
	if m.Calls != nil {
		least = d.atMost() // with the contacts that are remembered
	}
	if p.limit == 0 && least.total(workers, true) < 4*fixedBytes*float64(workers) {
		p.workers = workers
		return workers, nil // too little to look
	}
	room := p.room()
	if most := d.atMost(); p.limit == 0 && most.total(workers, true) > float64(min(room.Pages, room.Address)) {
		p.release() // memory of runs that are over
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
	if p.limit == 0 {
		if err := affordLogs(m, workers, float64(room.Pages)); err != nil {
			return 0, err
		}
	}
	if fits(&d, workers) {
		p.workers = workers
		// Arrays have much room for entrants only if there is address space for it.
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
	return 0, fmt.Errorf("%s: %w: the run needs about %s, and %s are available%s", m.Name, ErrMemory, inBytes(need),
		inBytes(have), instead(&d, workers, have, func(workers int) bool { return fits(&d, workers) }))
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
		// What is left for individuals, and a little less. It is linear, except for what is
		// recorded and for rounding.
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
	return fmt.Sprintf("; with a size of %s it would fit",
		strings.ReplaceAll(format.Thousands(float64(int(size))), ",", "_"))
}

// roundDown rounds down to two significant digits.
func roundDown(x float64) float64 {
	if !(x >= 1) {
		return 0
	}
	step := detmath.Pow(10, math.Max(0, math.Floor(detmath.Log10(x))-1))
	return math.Floor(x/step) * step
}

// inBytes is a number of bytes for a message.
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

// roomOf is the room that a limit leaves.
func roomOf(limit, used uint64) memory.Room {
	return memory.Room{Pages: limit - min(limit, used), Address: memory.Unknown}
}

// ErrMemory is the error of a run that needs more memory than is available.
var ErrMemory = errors.New("not enough memory")
