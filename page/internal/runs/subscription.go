package runs

import (
	"bytes"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/page/internal/figure"
)

// An Subscription are the viewers of work who see the same of it: all charts, or those of one of many
// pages. What has changed is written down once for all of them, as an event. They take events at
// their own pace; one that has missed too many of them gets everything anew. So nobody waits for a
// viewer, fifty cost as much as one, and nobody is told of charts on other pages. The lock of the
// work is that of an audience.
type Subscription struct {
	live  *live
	query url.Values // of an address: which charts

	viewers    int
	last       int64   // the number of its latest event
	events     []event // the latest of them
	sent       []figure.Figure
	sentStatus Status        // that was told with them
	snapshot   event         // all that was told, if somebody has wanted it since the latest event
	updated    chan struct{} // closed when there is an event
	complete   bool          // everything, the end too
}

// An event is what changed, as it is sent.
type event struct {
	previous, id int64 // the number of the one before it, and its own
	text         []byte
}

// How much is kept for those who come back.
const (
	maxEvents     = 64
	maxEventBytes = 1 << 20 // of them
)

// Subscribe is called by a viewer that comes, with the address of the page that it sees, and leave when
// it goes.
func (l *live) Subscribe(query url.Values) *Subscription {
	part := url.Values{"charts": {query.Get("charts")}, "find": {query.Get("find")}}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.subscriptions[part.Encode()]
	if a == nil {
		a = &Subscription{live: l, query: part, updated: make(chan struct{})}
		l.subscriptions[part.Encode()] = a
	}
	a.viewers++
	if !l.publishing && !a.complete {
		l.publishing = true
		go l.publish()
	}
	return a
}

func (a *Subscription) Close() {
	l := a.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.viewers--; a.viewers > 0 {
		return
	}
	// What was told may be large. Only while the work goes on it is kept, of the last who left, who
	// may come back.
	for part, other := range l.subscriptions {
		if other.viewers == 0 && (other != a || a.complete) {
			delete(l.subscriptions, part)
		}
	}
}

// publish looks at the work now and then, while somebody watches who has not seen its end.
func (l *live) publish() {
	for {
		l.mu.Lock()
		over := l.state.Over()
		var all []*Subscription
		for _, a := range l.subscriptions {
			if a.viewers > 0 && !a.complete {
				all = append(all, a)
			}
		}
		if len(all) == 0 {
			l.publishing = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		began := time.Now()
		for _, a := range all {
			a.safeSample(over)
		}
		if over {
			continue // somebody may have come meanwhile
		}
		pause := time.NewTimer(max(minInterval, samplingShare*time.Since(began)))
		select {
		case <-pause.C:
		case <-l.over:
			pause.Stop()
		}
	}
}

// safeSample looks, or, should that panic, says so instead: this is nobody's request, and would end
// the server. The work goes on.
func (a *Subscription) safeSample(over bool) {
	l := a.live
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		l.log.Error("a run cannot be shown", "panic", p, "stack", string(debug.Stack()))
		s := l.Status()
		s.Why = "it cannot be shown; the server's log has more"
		l.mu.Lock()
		defer l.mu.Unlock()
		a.sent = nil // so that whatever can be shown next is shown as a whole
		a.add("update", s, []byte("[]"), over)
	}()
	a.sample(l.View(), l.Status(), over)
}

// sample writes down what has changed.
func (a *Subscription) sample(v View, s Status, over bool) {
	l := a.live
	some, _ := figure.Paginate(v.Figures, a.query)
	figures := make([]figure.Figure, len(some))
	for i, f := range some {
		figures[i] = f.Thin()
	}
	l.mu.Lock()
	before := a.sent // which nobody else writes: one looks at a time
	l.mu.Unlock()
	kind := "update"
	if !figure.SameSeries(before, figures) {
		before, kind = nil, "all"
	}
	news := figure.Diff(before, figures) // which takes a while, and nobody is to wait for it
	l.mu.Lock()
	defer l.mu.Unlock()
	a.sent = figures
	if len(a.events) > 0 && kind == "update" && len(news) == len("[]") && s == a.sentStatus && !over {
		return // nothing has changed, not even how long it takes: it waits
	}
	a.add(kind, s, news, over)
}

// add writes down an event. The lock is held. Events of all audiences have different numbers, so
// that those of one that is forgotten are not taken for those of another with the same name.
func (a *Subscription) add(kind string, s Status, figures []byte, over bool) {
	a.live.lastEvent++
	after := a.last
	a.last, a.sentStatus, a.snapshot = a.live.lastEvent, s, event{}
	text := encodeEvent(a.last, kind, s, figures)
	if over {
		a.complete = true
		text = append(text, "event: end\ndata: {}\n\n"...)
	}
	a.events = append(a.events, event{after, a.last, text})
	first, size := len(a.events)-1, len(text)
	for first > 0 && len(a.events)-first < maxEvents && size+len(a.events[first-1].text) <= maxEventBytes {
		first--
		size += len(a.events[first].text)
	}
	a.events = slices.Clone(a.events[first:]) // who needs more gets everything
	close(a.updated)
	a.updated = make(chan struct{})
}

// Since is what a viewer has yet to see who saw all up to an event, the number of the last of it, a
// channel that is closed when there is more, and whether there never will be.
func (a *Subscription) Since(id int64) (text []byte, last int64, news <-chan struct{}, end bool) {
	l := a.live
	s := l.Status()
	l.mu.Lock()
	last, news, end = a.last, a.updated, a.complete
	if len(a.events) == 0 || id == last {
		l.mu.Unlock()
		return nil, id, news, end
	}
	if a.events[0].previous <= id && id < last && id > 0 {
		for _, e := range a.events {
			if e.id > id {
				text = append(text, e.text...)
			}
		}
		l.mu.Unlock()
		return text, last, news, end
	}
	// A new one, or one that was away for long, or that comes from another server's run of the same
	// number. Many come at once, and what is written for one is for all of them.
	told, whole := a.sent, a.snapshot
	l.mu.Unlock()
	if whole.id == last {
		return whole.text, last, news, end
	}
	text = encodeEvent(last, "all", s, figure.Diff(nil, told))
	if end {
		text = append(text, "event: end\ndata: {}\n\n"...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.last == last {
		a.snapshot = event{id: last, text: text}
	}
	return text, last, news, end
}

// encodeEvent is an event as it goes over the wire.
func encodeEvent(id int64, kind string, s Status, figures []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: {\"status\":%s,\"figures\":%s}\n\n", id, kind, figure.JSON(s), figures)
	return b.Bytes()
}
