package dispatchgrpc

import (
	"slices"
	"sync"
)

// A channel has the servers of all policies of one client connection. gRPC makes a new policy when
// the service config goes to another one and back, and the old one still has calls; and the
// resolver may give an endpoint another set of addresses. Either way the same server is there twice,
// and its calls count together: servers overlap if they have an address in common.
//
// A channel is kept while it has a policy or a call. mu protects it and the schedulers.
type channel struct {
	mu         sync.Mutex
	key        any // nil if it is of a single policy
	schedulers []*scheduler
	servers    []*server // of all schedulers, and of closed ones while they have calls
}

// channels are those in use, by the channelz identifier of the client connection, which is all that
// the policies of one connection have in common. Its lock is taken before that of a channel.
var channels = struct {
	mu  sync.Mutex
	all map[any]*channel
}{all: map[any]*channel{}}

// join adds a scheduler to the channel with a key.
func (d *scheduler) join(key any) {
	channels.mu.Lock()
	defer channels.mu.Unlock()
	c := channels.all[key]
	if c == nil {
		c = &channel{key: key}
		if key != nil {
			channels.all[key] = c
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.schedulers = append(c.schedulers, d)
	d.channel = c
}

// forget drops a channel that has neither policies nor calls.
func (c *channel) forget() {
	channels.mu.Lock()
	defer channels.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isUnused() && channels.all[c.key] == c {
		delete(channels.all, c.key)
	}
}

func (c *channel) isUnused() bool { return len(c.schedulers)+len(c.servers) == 0 }

// fill grants free slots of all policies.
func (c *channel) fill() {
	for _, d := range c.schedulers {
		d.fill()
	}
}

// newServer adds a server. mu must not be held.
func (d *scheduler) newServer(addresses ...string) *server {
	s := &server{scheduler: d, addresses: addresses}
	s.bin.Of = s
	c := d.channel
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.servers {
		if slices.ContainsFunc(addresses, func(a string) bool { return slices.Contains(o.addresses, a) }) {
			o.overlaps, s.overlaps = append(o.overlaps, s), append(s.overlaps, o)
		}
	}
	c.servers = append(c.servers, s)
	return s
}

// remove removes a server without calls.
func (c *channel) remove(s *server) {
	s.health.Disarm()
	is := func(o *server) bool { return o == s }
	for _, o := range s.overlaps {
		o.overlaps = slices.DeleteFunc(o.overlaps, is)
	}
	c.servers = slices.DeleteFunc(c.servers, is)
}

// load returns how many calls a server has, by whatever policy and set of addresses.
func (s *server) load() int {
	n := s.taken
	for _, o := range s.overlaps {
		n += o.taken
	}
	return n
}

// add changes the number of slots taken.
func (s *server) add(n int) {
	s.taken += n
	s.update()
	for _, o := range s.overlaps {
		o.update()
	}
}
