package ensemble

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// A crew is the workers that were heard of lately.
type crew struct {
	members map[string]member
}

type member struct {
	beat
	heard time.Time
}

// forgetAfter is how long a worker counts after it was last heard of.
const forgetAfter = 4 * beatEvery

func (c *crew) hear(data []byte) {
	var b beat
	if json.Unmarshal(data, &b) != nil || b.ID == "" || len(c.members) > 1<<16 {
		return
	}
	if c.members == nil {
		c.members = map[string]member{}
	}
	if b.Leaves {
		delete(c.members, b.ID)
		return
	}
	c.members[b.ID] = member{b, time.Now()}
}

// of is who can work for a job, and who says why he does not.
func (c *crew) of(s *spec, job string) (workers, slots int, refused []string) {
	maps.DeleteFunc(c.members, func(_ string, m member) bool { return time.Since(m.heard) > forgetAfter })
	for _, m := range c.members {
		if m.Kinds[s.Job.Kind] == s.Version {
			workers++
			slots += max(m.Slots, 0)
		}
		if why := m.Refused[job]; why != "" {
			refused = append(refused, why)
		}
	}
	slices.Sort(refused)
	return workers, slots, refused
}

// window is how many tasks may be out: two for each slot and one ahead, as far as their results find room in memory.
func (r *coordinator) window() int {
	if r.o.Window > 0 {
		return r.o.Window
	}
	_, slots, _ := r.crew.of(r.spec, r.id)
	n := min(max(3*slots, 8), 8192)
	const memory = 128 << 20
	each := 8 * (r.study.outputs + 1) * r.study.size()
	return max(min(n, memory/each), 2)
}

// say tells the caller how far the job is.
func (r *coordinator) say(quiet time.Duration) {
	if r.o.Progress == nil {
		return
	}
	p := Progress{Key: r.id, Points: len(r.spec.Job.Points), PointsDone: r.study.low - len(r.study.ready), Replicas: r.study.total(), Merged: r.study.done,
		Events: r.study.events, EventsPerSecond: r.rate.perSecond, Left: -1, Resumed: r.resumed, Trouble: r.trouble, Counts: r.study.counts}
	p.Workers, p.Slots, p.Refused = r.crew.of(r.spec, r.id)
	for _, m := range r.crew.members {
		if p.Trouble == "" && m.Trouble != "" {
			p.Trouble = "worker " + m.Name + ": " + m.Trouble
		}
	}
	if p.Trouble == "" && p.Workers == 0 && quiet > 2*beatEvery {
		p.Trouble = "there are no workers"
	}
	if r.study.pace > 0 && p.Slots > 0 {
		p.Left = time.Duration(float64(max(p.Replicas-p.Merged, 0)) * r.study.pace / float64(p.Slots) * float64(time.Second))
	}
	r.o.Progress(p)
}

// A rate is how fast a number has grown lately.
type rate struct {
	perSecond float64
	last      uint64
	at        time.Time
}

func (r *rate) sample(x uint64) {
	now := time.Now()
	if !r.at.IsZero() && x >= r.last {
		const memory = 5 // seconds
		dt := now.Sub(r.at).Seconds()
		r.perSecond += float64((float64(x-r.last)/dt - r.perSecond) * min(1, dt/memory))
	}
	r.last, r.at = x, now
}
