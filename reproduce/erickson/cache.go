package erickson

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// cacheEffects is what section 4 says of the costs on a machine with caches, counted: the paper's
// calendar runs on a simulated memory, and every access goes through two caches that are
// direct-mapped, as those of the authors' machine were. The first has 8 KB in lines of 32 bytes, as
// the manual that the paper cites has it; the paper does not say how large the second is, and here
// it has 512 KB.
//
// Why jumps matter beyond their mean: between an event's jump ξ and its next time a share P(ξ) of
// the others is touched. P(ξ) is uniform for exponential jumps, and 1−(1−U)² for uniform ones,
// which is larger. So a list entry is still in a cache more often with exponential jumps.
func cacheEffects(r *runner) reproduce.Finding {
	bottom, top := 6, 19
	if r.scale < 1 { // all of it a sixteenth
		bottom, top = bottom-4, top-4
	}
	r.Runs(2 * (top - bottom + 1))
	var f reproduce.Finding
	near, far := r.correlated()
	table := reproduce.Table{Name: "misses", Columns: []string{"events", "jump", "empty bucket, first cache", "second",
		"list entry, first cache", "second", "rest of an event, first cache", "second", "b", "c", "d"}}
	var lines [2][]cachePoint
	for k, j := range []jumps{near, far} {
		for e := bottom; e <= top; e++ {
			p := r.cachePoint(j, 1<<e)
			lines[k] = append(lines[k], p)
			row := []float64{float64(p.n), float64(k + 1)}
			for c := range p.misses {
				row = append(row, p.misses[c][0].Mean, p.misses[c][1].Mean)
			}
			table.Rows = append(table.Rows, append(row, p.cost(0), p.cost(1), p.cost(2)))
		}
	}
	f.Tables = append(f.Tables, table)
	judgeCache(&f, lines)
	return f
}

// The steps of a calendar: to visit an empty bucket, to look at an entry, and the rest of an event.
const (
	emptyStep = iota
	entryStep
	restStep
	stepKinds
)

// firstMiss and secondMiss are how many accesses a miss of either cache takes in addition. They are
// typical of the time; that an entry misses more than an empty bucket does not depend on them.
const firstMiss, secondMiss = 8, 40

// A cachePoint is how often the caches miss for each step, with so many events.
type cachePoint struct {
	n                int
	misses           [stepKinds][2]reproduce.Estimate
	accesses         [stepKinds]float64 // for each step
	empty, traversed reproduce.Estimate // for each event
	width            float64
	exactEntries     float64 // what traversed should be
}

// cost is what a step takes, in accesses that hit.
func (p *cachePoint) cost(step int) float64 {
	return p.accesses[step] + firstMiss*p.misses[step][0].Mean + secondMiss*p.misses[step][1].Mean
}

// ratio is b over c.
func (p *cachePoint) ratio() float64 { return p.cost(emptyStep) / p.cost(entryStep) }

func judgeCache(f *reproduce.Finding, lines [2][]cachePoint) {
	first, last := lines[0][0], lines[0][len(lines[0])-1]
	before := lines[0][len(lines[0])-2]
	growth := [stepKinds]float64{}
	for step, name := range []string{"b", "c", "d"} {
		growth[step] = last.cost(step) / first.cost(step)
		f.For(reproduce.Printed).AtLeast(fmt.Sprintf("%s with %d events over that with %d", name, last.n, first.n),
			growth[step], reproduce.Chosen("calendar: cost grows"))
		f.For(reproduce.Printed).AtMost(fmt.Sprintf("growth of %s over the last doubling", name),
			last.cost(step)/before.cost(step)-1, reproduce.Chosen("calendar: cost stops growing"))
	}
	f.For(reproduce.Printed).AtMost(fmt.Sprintf("b/c with %d events over that with %d", last.n, first.n),
		last.ratio()/first.ratio(), reproduce.Chosen("calendar: b/c falls"))
	for level, name := range []string{"first", "second"} {
		a, b := last.misses[emptyStep][level], last.misses[entryStep][level]
		f.Between("misses of the "+name+" cache for an empty bucket over those for an entry, at the largest size",
			a.Mean/b.Mean, 0, 1, -reproduce.Sigmas*math.Hypot(a.SE/b.Mean, a.Mean*b.SE/(b.Mean*b.Mean)),
			"buckets are in an array, and entries are not: fewer, by 4.5 standard errors")
	}
	measured, series := plot.Series{Name: "b/c"}, [2]plot.Series{}
	apart, at := 0.0, 0
	for i, p := range lines[0] {
		q := lines[1][i]
		measured.Add(float64(p.n), p.ratio())
		for k, line := range []cachePoint{p, q} {
			series[k].Add(float64(line.n), line.cost(entryStep))
		}
		// Where most of the events fit the second cache, or hardly any do, the two are alike.
		if d := math.Abs(q.misses[entryStep][1].Mean - p.misses[entryStep][1].Mean); d > apart {
			apart, at = d, i
		}
	}
	p, q := lines[0][at].misses[entryStep][1], lines[1][at].misses[entryStep][1]
	f.For(reproduce.Printed).AtMost("misses of the second cache for an entry with exponential jumps, over those with "+
		"uniform ones, where they differ most", p.Mean/max(q.Mean, 1e-9), reproduce.Chosen("calendar: fewer misses"))
	worst := 0.0
	for _, line := range lines {
		for _, p := range line {
			n := float64(p.n)
			worst = max(worst, p.empty.Off(1/(n*p.width), 0), p.traversed.Off(p.exactEntries, 0))
		}
	}
	worstOf(f.For(reproduce.Control), "how far the steps counted are from the exact ones, in standard errors, at most",
		worst, 2*len(lines[0])*2)
	f.Measured = fmt.Sprintf("Two simulated caches of 8 and 512 KB: from %d to %d events b grows %.1f times, c %.1f "+
		"times and d %.1f times, and over the last doubling by %.1f%%, %.1f%% and %.1f%%; b/c falls from %.2f to %.2f. "+
		"With %d events an entry misses the second cache %.3f times with exponential jumps and %.3f times with uniform ones.",
		first.n, last.n, growth[0], growth[1], growth[2], 100*(last.cost(0)/before.cost(0)-1),
		100*(last.cost(1)/before.cost(1)-1), 100*(last.cost(2)/before.cost(2)-1), first.ratio(), last.ratio(),
		lines[0][at].n, p.Mean, q.Mean)
	series[0].Name, series[1].Name = "c, exponential jumps", "c, uniform jumps"
	f.Chart("cache-effects", plot.Chart{Title: "Cost of a list entry, and b/c, with simulated caches", XLabel: "events",
		YLabel: "accesses; ratio", LogX: true, LogY: true, LegendBeside: true,
		Series: []plot.Series{series[0], series[1], measured}})
}

// cachePoint runs the calendar at the best width for b = c, with four buckets an event.
func (r *runner) cachePoint(j jumps, n int) cachePoint {
	c := r.newTraced(j, n, uint64(r.Done()))
	events := max(n, 80_000) // misses of empty buckets are rare
	for i := range max(n, min(4*n, 1<<17)) {
		r.CheckpointEvery(4096, i)
		c.hold()
	}
	var misses [stepKinds][2][]float64
	var empty, traversed []float64
	var accesses, steps [stepKinds]float64
	for range batches {
		c.counts = [stepKinds]traceCount{}
		for i := range events / batches {
			r.CheckpointEvery(4096, i)
			c.hold()
		}
		for step, k := range c.counts {
			many := math.Max(1, float64(k.steps))
			misses[step][0] = append(misses[step][0], float64(k.misses[0])/many)
			misses[step][1] = append(misses[step][1], float64(k.misses[1])/many)
			accesses[step] += float64(k.accesses)
			steps[step] += float64(k.steps)
		}
		done := float64(c.counts[restStep].steps)
		empty = append(empty, float64(c.counts[emptyStep].steps)/done)
		traversed = append(traversed, float64(c.counts[entryStep].steps)/done)
	}
	p := cachePoint{n: n, width: c.width, empty: reproduce.BatchMeans(empty), traversed: reproduce.BatchMeans(traversed)}
	x := float64(n) * c.width
	p.exactEntries = exactEntries(n, j.law, c.width) +
		(1+x)/x*exactExcess(n, len(c.heads), j.law, c.width)
	for step := range misses {
		p.misses[step] = [2]reproduce.Estimate{reproduce.BatchMeans(misses[step][0]), reproduce.BatchMeans(misses[step][1])}
		p.accesses[step] = accesses[step] / steps[step]
	}
	r.Ran()
	return p
}

// A traced is the papers' calendar with unordered lists, whose accesses to memory are counted.
type traced struct {
	heads  []int32 // of the lists; -1 if there is none
	next   []int32
	at     []float64
	width  float64
	day    int64
	draw   func() float64
	caches [2]cache
	counts [stepKinds]traceCount
}

// A traceCount is how often a step was made, and what it took.
type traceCount struct {
	steps, accesses uint64
	misses          [2]uint64
}

// The bytes of a bucket, which is a pointer, and of an entry: time, id and pointer, aligned.
const headBytes, entryBytes = 8, 32

func (r *runner) newTraced(j jumps, n int, stream uint64) *traced {
	rng := r.Random(stream)
	c := &traced{heads: make([]int32, 4*n), next: make([]int32, n), at: make([]float64, n), width: r.width(n, 1),
		draw: func() float64 { return j.draw(rng) }}
	for i := range c.heads {
		c.heads[i] = -1
	}
	for i, size := range r.cacheSizes {
		if r.scale < 1 {
			size /= 16
		}
		c.caches[i] = cache{lines: make([]int, size/r.cacheLine), line: r.cacheLine}
	}
	for i := range n {
		c.at[i] = j.residual(rng)
		b := c.bucket(c.at[i])
		c.next[i], c.heads[b] = c.heads[b], int32(i)
	}
	return c
}

func (c *traced) bucket(at float64) int { return int(int64(at/c.width) % int64(len(c.heads))) }

// hold is one event: find the earliest, take it out, and put it back a jump later.
func (c *traced) hold() {
	for {
		b := int(c.day % int64(len(c.heads)))
		first, before := int32(-1), int32(-1)
		for i, p := c.heads[b], int32(-1); i >= 0; i, p = c.next[i], i {
			c.counts[entryStep].steps++
			c.entry(entryStep, i)
			if int64(c.at[i]/c.width) == c.day && (first < 0 || c.at[i] < c.at[first]) {
				first, before = i, p
			}
		}
		if first < 0 {
			c.counts[emptyStep].steps++
			c.head(emptyStep, b)
			c.day++
			continue
		}
		c.counts[restStep].steps++
		c.head(restStep, b)
		if before < 0 {
			c.heads[b] = c.next[first]
		} else {
			c.entry(restStep, before)
			c.next[before] = c.next[first]
		}
		c.at[first] += c.draw()
		to := c.bucket(c.at[first])
		c.head(restStep, to)
		c.entry(restStep, first)
		c.next[first], c.heads[to] = c.heads[to], first
		return
	}
}

func (c *traced) head(step, b int) { c.touch(step, headBytes*b) }

func (c *traced) entry(step int, i int32) { c.touch(step, headBytes*len(c.heads)+entryBytes*int(i)) }

func (c *traced) touch(step, address int) {
	k := &c.counts[step]
	k.accesses++
	for i := range c.caches {
		if c.caches[i].touch(address) {
			return
		}
		k.misses[i]++
	}
}

// A cache is direct-mapped: each line of memory has one place in it.
type cache struct {
	lines []int // which line of memory is there, plus 1
	line  int   // bytes
}

// touch reports whether the address was there, and has it there.
func (c *cache) touch(address int) bool {
	n := address / c.line
	at := &c.lines[n%len(c.lines)]
	hit := *at == n+1
	*at = n + 1
	return hit
}
