package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// BreakdownConfig says how units of a resource break, and are repaired; see [Resource.Break].
type BreakdownConfig struct {
	// Name is the name of the statistics in the [Report] and of the streams of random numbers.
	// Without one there are no statistics in the report, and the streams are named after the
	// resource.
	Name string

	// ToFailure is the time to failure, from the start or the last repair: by the clock, or, with
	// InUse, in unit-times of use (for a resource of one unit, the time that it is busy).
	ToFailure Distribution
	InUse     bool

	// Repair is how long the repair takes. RepairBy is a process instead, which may wait for a
	// fitter and for parts: when it ends, the units are available again.
	Repair   Distribution
	RepairBy func(p *Process)

	Units int      // how many break at once; all if it is 0
	Rule  WorkRule // what becomes of work; Resume by default
}

// A Breakdown is a running [Resource.Break]: units break and are repaired, again and again.
type Breakdown struct {
	r        *Resource
	of       BreakdownConfig
	failures *rand.Rand
	repairs  *rand.Rand
	down     TimeWeighted
	count    occurrences
	event    Event   // the next failure, or the end of the repair
	left     float64 // unit-times in use until the next failure, if that counts
	broken   bool
	ended    bool
}

// occurrences is a count in the report.
type occurrences struct{ n int64 }

// Reset makes it 0.
func (c *occurrences) Reset() { c.n = 0 }

func (c *occurrences) report(name string) []ReportRow {
	none := math.NaN()
	return []ReportRow{{Name: name, Mean: none, StdDev: none, Min: none, Max: none, N: c.n}}
}

// Break makes units of the resource break, from now on. Free units break first: work goes on with
// another unit. If there are not enough, the [WorkRule] says what becomes of the work.
//
// A resource can have several, such as one for each of five machines, or one for small and one for
// large failures. Each has at most one pending event. Unless failures depend on use, there is
// always one, so [Simulation.Run] needs a time to end.
//
// A unit whose failures depend on the clock also breaks while it is idle. Break panics if a
// distribution is missing or the number of units is negative, and when a time to failure is drawn
// that is not above 0, or a repair of negative length.
func (r *Resource) Break(b BreakdownConfig) *Breakdown {
	switch {
	case b.ToFailure.draw == nil:
		panic("sim: Break of " + r.name + ": ToFailure must be told")
	case (b.Repair.draw == nil) == (b.RepairBy == nil):
		panic("sim: Break of " + r.name + ": either Repair or RepairBy must be told, and not both")
	case b.Units < 0:
		panic(fmt.Sprintf("sim: Break of %s: %d units break at once; it must be 1 or more, or 0 for all", r.name, b.Units))
	}
	b.Rule.check("Break of " + r.name)
	if b.Rule == 0 {
		b.Rule = Resume
	}
	u := r.ensureAvailability()
	u.breakdowns++
	stream := b.Name
	if stream == "" {
		if stream = "breakdowns of " + r.name; u.breakdowns > 1 {
			stream += fmt.Sprint(" ", u.breakdowns)
		}
	}
	d := &Breakdown{r: r, of: b, failures: r.s.Stream(stream + ", failures"), repairs: r.s.Stream(stream + ", repairs"),
		down: r.s.timeWeighted(0)}
	register(r.s, b.Name, d)
	d.begin()
	return d
}

func (d *Breakdown) statistics(f func(string, resetter)) {
	f("down", &d.down)
	f("failures", &d.count)
}

// begin schedules the next failure.
func (d *Breakdown) begin() {
	s, u := d.r.s, d.r.availability
	life := d.of.ToFailure.Draw(d.failures)
	if !(life > 0) {
		panic(fmt.Sprintf("sim: Break of %s: %v has given a time to failure of %g, which must be above 0", d.r.name,
			d.of.ToFailure, life))
	}
	if d.of.InUse {
		u.countUse(d.r) // up to now
		d.left = life
		u.byUse = append(u.byUse, d)
		d.scheduleFailure()
	} else if at := s.now + life; at <= maxTime {
		d.event = s.At(at, d.fail, Named("breakdown of "+d.r.name))
	}
}

// scheduleFailure schedules a failure that depends on use, for the present number of units in use.
func (d *Breakdown) scheduleFailure() {
	s, inUse := d.r.s, d.r.inUse
	at := s.now + max(0, d.left)/float64(inUse)
	switch {
	case inUse == 0 || !(at <= maxTime):
		d.event.Cancel()
	case d.event.Pending():
		d.event.Reschedule(at)
	default:
		d.event = s.At(at, d.fail, Named("breakdown of "+d.r.name))
	}
}

// countUse adds the use of units up to now. Their number changes now.
func (u *availability) countUse(r *Resource) {
	if len(u.byUse) > 0 {
		used := float64(float64(u.unitsInUse) * (r.s.now - u.countedUpTo))
		for _, d := range u.byUse {
			d.left -= used
			d.scheduleFailure()
		}
	}
	u.countedUpTo, u.unitsInUse = r.s.now, r.inUse
}

// fail breaks the units.
func (d *Breakdown) fail() {
	s, r, u := d.r.s, d.r, d.r.availability
	d.broken = true
	d.count.n++
	if d.of.InUse {
		u.removeByUse(d)
	}
	if d.of.Units > 0 {
		u.down += d.of.Units
		d.down.Set(float64(d.of.Units))
	} else {
		u.outages = append(u.outages, d)
	}
	// The repair is scheduled before what the failure brings about.
	if f := d.of.RepairBy; f != nil {
		s.Go("repair of "+r.name, func(p *Process) {
			defer d.repaired()
			f(p)
		})
	} else {
		takes := d.of.Repair.Draw(d.repairs)
		if !(takes >= 0) {
			panic(fmt.Sprintf("sim: Break of %s: %v has given a repair of %g, which must not be negative", r.name, d.of.Repair,
				takes))
		}
		if at := s.now + takes; at <= maxTime {
			d.event = s.At(at, d.repaired, Named("repair of "+r.name))
		}
	}
	r.adapt(d.of.Rule, "a breakdown")
}

// removeByUse removes a breakdown from those that depend on use.
func (u *availability) removeByUse(d *Breakdown) {
	u.byUse = slices.DeleteFunc(u.byUse, func(other *Breakdown) bool { return other == d })
}

// repaired makes the units available again.
func (d *Breakdown) repaired() {
	r, u := d.r, d.r.availability
	if r.s.closed {
		return
	}
	d.broken = false
	d.down.Set(0)
	if d.of.Units > 0 {
		u.down -= d.of.Units
	} else {
		u.outages = slices.DeleteFunc(u.outages, func(other *Breakdown) bool { return other == d })
	}
	if !d.ended {
		d.begin()
	}
	r.adapt(d.of.Rule, "a breakdown")
}

// Stop ends further failures. A repair in progress goes on.
func (d *Breakdown) Stop() {
	if d.ended = true; !d.broken {
		d.event.Cancel()
		d.r.availability.removeByUse(d)
	}
}

// Broken reports whether the units are broken.
func (d *Breakdown) Broken() bool { return d.broken }

// Failures counts the failures since the start, or since the statistics were reset.
func (d *Breakdown) Failures() int { return int(d.count.n) }

// Down is the number of broken units, over time; if all are broken, the number that the timetable
// gives.
func (d *Breakdown) Down() *TimeWeighted { return &d.down }
