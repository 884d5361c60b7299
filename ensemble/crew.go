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

// window is how many tasks may be out: two for each slot and one ahead, as far as their results
// find room in memory.
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
	workers, slots, refused := r.crew.of(r.spec, r.id)
	p := r.study.progress(r.id, workers, slots)
	if r.o.Progress == nil {
		return
	}
	p.Resumed, p.Trouble, p.Refused = r.resumed, r.trouble, refused
	for _, m := range r.crew.members {
		if p.Trouble == "" && m.Trouble != "" {
			p.Trouble = "worker " + m.Name + ": " + m.Trouble
		}
	}
	if p.Trouble == "" && p.Workers == 0 && quiet > 2*beatEvery {
		p.Trouble = "there are no workers"
	}
	r.o.Progress(p)
}
