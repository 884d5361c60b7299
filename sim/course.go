package sim

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// A Course is what a [Level] was over time, from when keeping began, or the last Reset, to when it was asked for. It is a copy.
type Course struct {
	Name       string // of the level in a report, if it was asked for by [Simulation.Courses]
	Start, End float64
	Points     []CoursePoint // in the order of time
	Sampled    bool          // points are instants, and not stretches
	Complete   bool          // nothing is missing at the end: only [EveryChange] lets go of it, and End is then where the points end
	// Width is the interval of samples, or of which parts stretches were put together; 0 if every change is there.
	Width float64
}

// A CoursePoint is a stretch of a [Course]: from one change to the next, or several of them put together. The path between two changes is
// level, so that mean, minimum and maximum are the same there. Of a sample, From and To are the same.
type CoursePoint struct {
	From, To       float64
	Mean, Min, Max float64
}

// Integral is the area under the course from a time to another; where stretches were put together, parts of them count by their mean, and
// between samples the last one holds. Outside of the course there is none. Over the whole course it is that of the level, but for
// rounding, unless the course is sampled.
func (c Course) Integral(from, to float64) float64 {
	sum := 0.0
	first := sort.Search(len(c.Points), func(i int) bool { return c.end(i) > from })
	for i := first; i < len(c.Points) && c.Points[i].From < to; i++ {
		if lasts := min(c.end(i), to) - max(c.Points[i].From, from); lasts > 0 {
			sum += float64(c.Points[i].Mean * lasts)
		}
	}
	return sum
}

// end is until when a point holds.
func (c Course) end(i int) float64 {
	switch {
	case !c.Sampled:
		return c.Points[i].To
	case i+1 < len(c.Points):
		return c.Points[i+1].From
	}
	return c.End
}

// Mean is the mean over time of the whole course. It is NaN if no time has passed.
func (c Course) Mean() float64 { return c.Integral(c.Start, c.End) / (c.End - c.Start) }

// maxParts is into how many parts a course can be divided: their means take 128 MB.
const maxParts = 1 << 24

// Means are the means over so many parts of equal length, from Start to End: what output analysis
// and pictures take. It panics if their number is negative or above 2²⁴.
func (c Course) Means(parts int) []float64 {
	if parts < 0 || parts > maxParts {
		panic(fmt.Sprintf("sim: Means(%d): a course is divided into 0 to %d parts", parts, maxParts))
	}
	means := make([]float64, parts)
	for i := range means {
		from := c.Start + float64((c.End-c.Start)*(float64(i)/float64(parts)))
		to := c.Start + float64((c.End-c.Start)*(float64(i+1)/float64(parts)))
		means[i] = c.Integral(from, to) / (to - from)
	}
	return means
}

// At is the value at a time, or the mean of the stretch that it lies in. It is NaN outside of the course.
func (c Course) At(t float64) float64 {
	i := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].From > t }) - 1
	if i < 0 || !(t <= c.End) {
		return math.NaN()
	}
	return c.Points[i].Mean
}

// A span is a stretch of a course that is kept. It begins where the one before it ends; a sample has only a time and a value.
type span struct{ to, area, low, high float64 }

// A keeper keeps a course.
//
// When a thinned one is full, it chooses parts of the time whose length is a power of two, from the start on, and puts neighbours
// together that lie in one part. Each part then has one stretch within it and at most one that reaches over its end, so that doubling
// the parts comes to any number at last. It goes on until half is free: a compaction takes as many steps as there are stretches, and
// at least half as many changes come before the next.
type keeper struct {
	Keeping
	start  float64
	until  float64 // where the last stretch ends
	width  float64 // of the parts, or between samples
	points []span
	next   float64 // which sample comes next, by number
	full   bool    // nothing more is kept
}

func (c *keeper) begin(now float64) {
	c.start, c.until, c.width, c.next, c.full = now, now, 0, 0, false
	c.points = c.points[:0]
	if c.how == sampled {
		c.width = c.interval
	}
}

// take adds that the value was x from a time to another.
func (c *keeper) take(from, to, x float64) {
	if from = max(from, c.start); from == to || c.full {
		return // keeping began in the middle
	}
	if c.how == sampled {
		c.sample(to, x)
		return
	}
	n := len(c.points)
	if n > 0 {
		last := &c.points[n-1]
		if last.low == x && last.high == x || c.width > 0 && to <= c.partEnd(c.from(n-1)) {
			last.add(span{to, float64(x * (to - from)), x, x})
			c.until = to
			return
		}
	}
	if n == c.most {
		if c.how == everyChange {
			c.full = true
			return
		}
		c.compact(from)
	}
	c.push(span{to, float64(x * (to - from)), x, x})
	c.until = to
}

func (p *span) add(q span) {
	p.to = q.to
	p.area += q.area
	p.low, p.high = min(p.low, q.low), max(p.high, q.high)
}

// from is where a stretch begins.
func (c *keeper) from(i int) float64 {
	if i == 0 {
		return c.start
	}
	return c.points[i-1].to
}

// partEnd is the end of the part that a time lies in.
func (c *keeper) partEnd(t float64) float64 {
	return c.start + float64((math.Floor((t-c.start)/c.width)+1)*c.width)
}

// compact puts stretches together until half of the room is free.
func (c *keeper) compact(now float64) {
	if c.width == 0 {
		_, power := math.Frexp((now - c.start) / float64(c.most))
		c.width = math.Ldexp(1, power)
	}
	for ; len(c.points) > c.most/2; c.width *= 2 {
		kept, from := c.points[:1], c.start
		for _, p := range c.points[1:] {
			last := &kept[len(kept)-1]
			if p.to <= c.partEnd(from) || last.low == last.high && p.low == last.low && p.high == last.low {
				last.add(p)
				continue
			}
			from = last.to
			kept = append(kept, p)
		}
		c.points = kept
	}
	c.width /= 2 // that which was enough
}

// sample adds the samples before a time, at all of which the value was x.
func (c *keeper) sample(to, x float64) {
	for c.sampleAt() < to {
		c.addSample(x)
	}
	c.until = to
}

// sampleAt is when the next sample is due.
func (c *keeper) sampleAt() float64 { return c.start + float64(c.next*c.width) }

// addSample adds the next sample. If there is no room it makes some instead, and another one may be the next.
func (c *keeper) addSample(x float64) {
	if len(c.points) < c.most {
		c.push(span{to: c.sampleAt(), area: x})
		c.next++
		return
	}
	kept := c.points[:0]
	for i := 0; i < len(c.points); i += 2 {
		kept = append(kept, c.points[i])
	}
	c.points = kept
	c.width *= 2
	c.next = float64(len(kept))
}

// push appends, and never takes more memory than for as many as may be kept.
func (c *keeper) push(p span) { c.points = appendUpTo(c.most, c.points, p) }

// course is what was kept, with a value that has lasted since a time until now.
func (c *keeper) course(since, now, x float64) Course {
	k := *c
	k.points = slices.Clone(c.points)
	k.take(since, now, x)
	for k.how == sampled && k.sampleAt() == now {
		k.addSample(x)
	}
	all := Course{Start: k.start, End: k.until, Width: k.width, Sampled: k.how == sampled, Complete: !k.full}
	for i, p := range k.points {
		point := CoursePoint{From: k.from(i), To: p.to, Min: p.low, Max: p.high}
		switch {
		case k.how == sampled:
			point = CoursePoint{p.to, p.to, p.area, p.area, p.area}
		case p.low == p.high:
			point.Mean = p.low
		default:
			// A mean lies between the extremes, which rounding need not know.
			point.Mean = max(p.low, min(p.area/(p.to-point.From), p.high))
		}
		all.Points = append(all.Points, point)
	}
	return all
}

// Keep makes the level keep its course from now on. [Level.Reset] forgets it, and keeping goes on.
func (l *Level) Keep(k Keeping) {
	k.check()
	l.course = &keeper{Keeping: k}
	l.course.begin(l.now())
}

// Course is what the level was over time, to now. It reports false unless [Level.Keep], or a Keep of what it belongs to, was called.
func (l *Level) Course() (Course, bool) {
	if l.course == nil {
		return Course{}, false
	}
	return l.course.course(l.since, l.now(), l.value), true
}
