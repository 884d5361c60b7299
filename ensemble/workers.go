package ensemble

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A Member is a worker that was heard of lately.
type Member struct {
	ID, Name    string
	Slots, Busy int               // tasks that it can run at once, and that it runs
	Kinds       map[string]string // the versions of what it can run
	Trouble     string            // what keeps it from storing results, if anything does
	Heard       time.Time         // when it was last heard of
}

// Workers calls f with the workers of the hub, once a second and whenever one comes or goes, until
// ctx is done. One that is not heard of for eight seconds is gone. While the hub is away nobody is
// heard of.
func (c *Conn) Workers(ctx context.Context, f func([]Member)) error {
	beats := make(chan *nats.Msg, 1024)
	sub, err := c.nc.ChanSubscribe(beatSubject, beats)
	if err != nil {
		return fmt.Errorf("ensemble: listening to the workers: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var all crew
	for {
		before := len(all.members)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-beats:
			if all.hear(m.Data); len(all.members) == before {
				continue
			}
		case <-tick.C:
		}
		f(all.list())
	}
}

// list is who was heard of lately, by name.
func (c *crew) list() (list []Member) {
	maps.DeleteFunc(c.members, func(_ string, m member) bool { return time.Since(m.heard) > forgetAfter })
	for _, m := range c.members {
		list = append(list, Member{ID: m.ID, Name: m.Name, Slots: max(m.Slots, 0), Busy: m.Busy, Kinds: m.Kinds,
			Trouble: m.Trouble, Heard: m.heard})
	}
	slices.SortFunc(list, func(a, b Member) int {
		if d := strings.Compare(a.Name, b.Name); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}
