package lehman

import (
	"fmt"
	"math"
	"runtime"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/static"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// memorySays is what the paper says, and the sizes of its words.
type memorySays struct {
	most          float64 // bytes
	events, bins  float64 // and the bins of section 5
	real, integer float64 // bytes
}

// paperMemory is the paper's: “less than a gigabyte”, of 10⁹ bytes. One bin an event is “typical”
// (section 6) and taken as what is printed; the 75 million bins of section 5 are another reading.
//
// Integers have 4 bytes: indexes go to 10⁸ in the appendix and to 10⁹ in the text, which is below
// 2³¹. Reals have 8. With 4 bytes, neighbouring times are 64 s apart after 30 years in seconds,
// more than four times the mean increment of 14 s, and the minimum was less than a microsecond.
var paperMemory = memorySays{most: 1e9, events: 60e6, bins: 75e6, real: 8, integer: 4}

// bytes is what T, P and Q take with n events and m bins.
func (s memorySays) bytes(n, m float64) float64 { return (s.real+s.integer)*n + s.integer*m }

// measureGigabyte checks the claim, measuring with n events.
func measureGigabyte(run *reproduce.Runner, says memorySays, n int) reproduce.Finding {
	var f reproduce.Finding
	one, theirs := says.bytes(says.events, says.events), says.bytes(says.events, says.bins)
	grown, static := fillMeasured(run, n)
	scaled := grown / float64(n) * says.events
	f.Between("bytes for 60 million events and as many bins, in units of what is said", one/says.most, 0, 1, 0,
		"a bound; the sizes of arrays, so nothing is left to chance")
	f.Between("bytes by which the program grows, for 60 million events, in the same units", scaled/says.most, 0, 1, 0,
		"a bound; measured for some and scaled up")
	f.For(reproduce.OtherReading).Between("bytes for 60 million events and 75 million bins, in the same units",
		theirs/says.most, 0, 1, 0, "a bound; the bins of section 5; the sizes of arrays, so nothing is left to chance")
	f.For(reproduce.Control).Check("bytes for an event by which the program grows over those of the arrays", grown/static,
		1, 0.02,
		"2 %, since memory is handed out in pages, and what else the program holds changes by some kilobytes")
	gap := float64(math.Nextafter32(30*365.25*86400, math.MaxFloat32) - 30*365.25*86400)
	f.For(reproduce.Control).Between("seconds between neighbouring times of 4 bytes after 30 years", gap, 14, 1000, 0,
		"above the mean increment of 14 s, so that times need 8 bytes")
	f.Tables = append(f.Tables, reproduce.Table{Name: "Bytes for 60 million events",
		Columns: []string{"bins", "T, P and Q", "in 10^9", "in 2^30", "with times of 4 bytes, in 10^9"},
		Rows: [][]float64{
			{says.events, one, one / 1e9, one / (1 << 30), (one - 4*says.events) / 1e9},
			{says.bins, theirs, theirs / 1e9, theirs / (1 << 30), (theirs - 4*says.events) / 1e9},
		}})
	f.Chart("memory", memoryChart(says))
	f.Measured = fmt.Sprintf("16 bytes an event with one bin each: %.2f GB for 60 million; with the 75 million bins of "+
		"section 5 it is %.2f GB, which is less than a gigabyte only if that is 2³⁰ bytes (%.2f).",
		one/1e9, theirs/1e9, theirs/(1<<30))
	f.Timed = fmt.Sprintf("On this machine the program grows by %.2f bytes an event with %s of them.", grown/float64(n),
		scientific(float64(n)))
	f.Notes = append(f.Notes,
		"It is the calendar alone. Individuals are kept elsewhere (array A of section 3); the whole model took a little "+
			"over 6 GB (section 5).",
		fmt.Sprintf("Times must have 8 bytes: with 4 they are %.0f s apart after 30 years.", gap))
	return f
}

// fillMeasured fills a Static with n events and as many bins. It returns by how many bytes the
// memory in use has grown, and those of its arrays.
func fillMeasured(run *reproduce.Runner, n int) (grown, arrays float64) {
	before := inUse()
	s := reproduce.Must(static.New(static.Config{Buckets: n, Width: 1 / float64(n), Discipline: static.JustInTime,
		Capacity: n}))
	r := random.New(run.Options.Seed, 0x67696761)
	forEach(run, n, func(i int) error { return s.Schedule(calendar.ID(i), r.Float64()) })
	grown = inUse() - before
	return grown, float64(s.Bytes())
}

// inUse is the memory that is in use after what is not needed any more has been collected. What is in
// a sync.Pool is collected the second time.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func memoryChart(says memorySays) plot.Chart {
	c := plot.Chart{Title: "Memory of the arrays T, P and Q", XLabel: "million events", YLabel: "GB (10^9 bytes)",
		FromZero: true, LegendBeside: true,
		Series: []plot.Series{{Name: "1.25 bins an event"}, {Name: "1 bin an event"}, {Name: "a gigabyte", Dashed: true}}}
	for n := 0.0; n <= 100e6; n += 10e6 {
		c.Series[0].Add(n/1e6, says.bytes(n, 1.25*n)/1e9)
		c.Series[1].Add(n/1e6, says.bytes(n, n)/1e9)
		c.Series[2].Add(n/1e6, 1)
	}
	return c
}
