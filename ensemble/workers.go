package ensemble

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A Member is a worker that sent a heartbeat recently.
type Member struct {
	ID, Name    string
	Slots, Busy int               // tasks that it can run at once, and that are running
	Kinds       map[string]string // version of each kind that it can run
	Trouble     string            // why it cannot store results; usually empty
	LastSeen    time.Time         // time of the last heartbeat
}

// Workers calls f with the workers of the hub, once a second and whenever one comes or goes, until
// ctx is done. A worker without a heartbeat for eight seconds is gone.
func (c *Conn) Workers(ctx context.Context, f func([]Member)) error {
	beats := make(chan *nats.Msg, 1024)
	sub, err := c.nc.ChanSubscribe(wire.HeartbeatSubject, beats)
	if err != nil {
		return fmt.Errorf("ensemble: listening to the workers: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var all workerSet
	for {
		before := len(all.members)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-beats:
			if all.update(m.Data); len(all.members) == before {
				continue
			}
		case <-tick.C:
		}
		f(all.list())
	}
}

// list returns the workers, sorted by name.
func (c *workerSet) list() (list []Member) {
	maps.DeleteFunc(c.members, func(_ string, m member) bool { return time.Since(m.lastSeen) > workerTimeout })
	for _, m := range c.members {
		list = append(list, Member{ID: m.ID, Name: m.Name, Slots: max(m.Slots, 0), Busy: m.Busy, Kinds: m.Kinds,
			Trouble: m.Trouble, LastSeen: m.lastSeen})
	}
	slices.SortFunc(list, func(a, b Member) int {
		if d := strings.Compare(a.Name, b.Name); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// A workerSet is the set of workers that sent a heartbeat recently.
type workerSet struct {
	members map[string]member
}

type member struct {
	heartbeat
	lastSeen time.Time
}

// workerTimeout is how long a worker counts after its last heartbeat.
const workerTimeout = 4 * heartbeatInterval

func (c *workerSet) update(data []byte) {
	var b heartbeat
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

// forJob counts the workers that can run a job, and returns the reasons of those that refuse it.
func (c *workerSet) forJob(s *spec, job string) (workers, slots int, refused []string) {
	maps.DeleteFunc(c.members, func(_ string, m member) bool { return time.Since(m.lastSeen) > workerTimeout })
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

// A heartbeat is published by a worker periodically. It is not stored; a lost one only affects the
// progress report.
type heartbeat struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Kinds   map[string]string `json:"kinds"` // version of each
	Slots   int               `json:"slots"`
	Busy    int               `json:"busy"`
	Refused map[string]string `json:"refused,omitempty"`
	Trouble string            `json:"trouble,omitempty"`
	Leaves  bool              `json:"leaves,omitempty"`
}

const heartbeatInterval = 2 * time.Second
