package relaxed

import (
	"math"
	"math/bits"
	"time"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// How order is kept between shards. Each subqueue publishes its horizon. A goroutine that is about
// to take an event later than the horizon of another shard is ahead of it:
//
//	shard 0   ──●──●──●──●──●───────●──▶  time      ● events, a dozen of which lie before the horizon
//	                        ▲ horizon
//	shard 1                       ●──●──●──▶
//	                              ▲ top: a goroutine here is ahead: it waits for the other, or helps

const (
	// chooseEvery is the number of events from a subqueue after which a goroutine chooses anew in
	// any case: until is of no use where there were no events at the time.
	chooseEvery = 16
	// chooseAmong is the number of other shards that it then reads.
	chooseAmong = 4
	// idleLooks is how often a shard must show nothing new before it is taken for deserted.
	idleLooks = 2
	// publishEvery is the number of events after which the horizon is published at the latest. A
	// shard that publishes nothing is taken for a deserted one.
	publishEvery = 17
	// patience is how long to wait for a shard that is behind while it publishes nothing, and
	// maxPatience while it does.
	patience    = 3 * time.Microsecond
	maxPatience = 15 * time.Microsecond
)

// publish publishes the horizon: how far others may go before they should come and help.
func (c *Queue[V]) publish(s *shard, q *subqueue[V], i uint32) {
	if len(c.shards) == 1 { // there are no others
		q.toPublish = math.MaxInt32
		return
	}
	horizon, good := q.horizon(c.lag)
	q.toPublish = int32(min(good/2+1, publishEvery))
	cpu.StoreRelease(&s.horizons[i%maxPer], horizon)
}

// horizon returns a key before which about n events lie, or all, if there are fewer; and how many
// of them that is. If there are no events, it is pastAll.
func (q *subqueue[V]) horizon(n int) (key uint64, events int) {
	if q.live == 0 {
		return pastAll, 0
	}
	bottom := q.bottom[q.head:q.tail]
	last := len(bottom) - 1
	if n <= last || q.live+q.stale == len(bottom) {
		n = min(n, last)
		return bottom[n].Key, n
	}
	// Those behind the bottom are taken to be as far from one another as those at the bottom.
	high, low := bits.Mul64(bottom[last].Key-bottom[0].Key, uint64(n))
	if high >= uint64(last) {
		return pastAll - 1, n
	}
	ahead, _ := bits.Div64(high, low, uint64(last))
	key, over := bits.Add64(bottom[0].Key, ahead, 0)
	if over != 0 {
		key = pastAll - 1
	}
	return min(key, pastAll-1), n
}

// published is a number that changes when a subqueue of a shard publishes anything.
func (c *Queue[V]) published(number uint32) (sum uint64) {
	for k := range c.per {
		sum = sum*3 + c.shards[number].horizons[k%maxPer].Load()
	}
	return sum
}

// choose decides where to go on after an event of subqueue q with the given key was taken. It reads
// some other shards: if one has fallen behind, it goes on there until that has caught up; else at
// home. It reports whether that one may catch up by itself.
func (c *Queue[V]) choose(a *affinity, q *subqueue[V], where, key uint64) (behind bool) {
	home, working := homeOf(where), workOf(where)
	n := uint32(len(c.shards))
	if n == 1 {
		q.toChoose = math.MaxInt32
		a.until.Store(pastAll)
		return false
	}
	least, who := pastAll, home
	for range min(n-1, chooseAmong) {
		q.other = c.after(q.other, working)
		o := &c.shards[q.other]
		for k := range c.per {
			if x := o.horizons[k%maxPer].Load(); x < least {
				least, who = x, q.other
			}
		}
	}
	to, until := home, least
	if least < key {
		to, until = who, key
		behind = working == home
	} else if working != home {
		if _, top := c.shards[home].first(c.per); top >= empty && top != locked {
			to = working // there is nothing at home
		} else {
			until = key // this shard was not looked at
			a.gaveUp.Store(c.published(working))
		}
	}
	if q.toChoose <= 0 {
		q.toChoose = chooseEvery
		if c.stalled(q, working, key) {
			to, until, behind = q.watched, key, false
		}
	}
	a.until.Store(until)
	a.move(where, visiting(home, to))
	return behind
}

// waitForBehind is called before going to a shard that has fallen behind a key. It waits a little
// for the goroutines that work there to catch up, which they mostly do, and stays at home then: a
// goroutine that comes to help takes from their caches all that they work with, and slows them down
// more than it helps. If none works there, it goes at once.
func (c *Queue[V]) waitForBehind(a *affinity, key uint64) {
	at := a.at.Load()
	who := workOf(at)
	published := c.published(who)
	if published == a.gaveUp.Load() {
		return
	}
	start := time.Since(epoch)
	for last := start; ; {
		least := pastAll
		for k := range c.per {
			least = min(least, c.shards[who].horizons[k%maxPer].Load())
		}
		if least >= key {
			a.until.Store(least)
			a.at.Store(atHome(homeOf(at)))
			return
		}
		now := time.Since(epoch)
		if p := c.published(who); p != published {
			published, last = p, now
		}
		if now-last > patience || now-start > maxPatience {
			a.gaveUp.Store(published)
			return
		}
	}
}

// after is the shard after another that is not the given one.
func (c *Queue[V]) after(other, not uint32) uint32 {
	n := uint32(len(c.shards))
	for range 2 {
		if other++; other >= n {
			other = 0
		}
		if other != not {
			break
		}
	}
	return other
}

// stalled reports whether, for some looks, no goroutine has worked with the shard that is watched
// from q, and events before a key are waiting there. They may be too few to be noticed otherwise.
// If not, it watches the next shard from now on.
func (c *Queue[V]) stalled(q *subqueue[V], working uint32, key uint64) bool {
	if q.watched != working && q.seen == c.published(q.watched) {
		if q.idle++; q.idle < idleLooks {
			return false
		}
		if _, top := c.shards[q.watched].first(c.per); top < key {
			return true
		}
	}
	q.idle = 0
	q.watched = c.after(q.watched, working)
	q.seen = c.published(q.watched)
	return false
}
