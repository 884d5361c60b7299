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

// A Subscription is shared by all viewers of the same charts of a run: all of them, or those of one
// page of many. Changes are encoded once, as events, and viewers read events at their own pace. A
// viewer that has missed too many gets a snapshot. So a slow viewer blocks nothing, and fifty
// viewers cost as much as one. The mutex of the run guards it.
type Subscription struct {
	live  *live
	query url.Values // which charts

	viewers    int
	last       int64   // number of the latest event
	events     []event // the latest ones
	sent       []figure.Figure
	sentStatus Status        // of the latest event
	snapshot   event         // everything, encoded for a new viewer since the latest event; else zero
	updated    chan struct{} // closed by the next event
	complete   bool          // the end has been sent
}

// An event is an encoded change.
type event struct {
	previous, id int64 // numbers of the previous event and of this one
	text         []byte
}

// Events that are kept for viewers that reconnect.
const (
	maxEvents     = 64
	maxEventBytes = 1 << 20 // of all events
)

// Subscribe adds a viewer of the page with the given query; Close removes it.
func (l *live) Subscribe(query url.Values) *Subscription {
	part := url.Values{"charts": {query.Get("charts")}, "find": {query.Get("find")}}
	l.mu.Lock()
	defer l.mu.Unlock()
	sub := l.subscriptions[part.Encode()]
	if sub == nil {
		sub = &Subscription{live: l, query: part, updated: make(chan struct{})}
		l.subscriptions[part.Encode()] = sub
	}
	sub.viewers++
	if !l.publishing && !sub.complete {
		l.publishing = true
		go l.publish()
	}
	return sub
}

func (sub *Subscription) Close() {
	l := sub.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if sub.viewers--; sub.viewers > 0 {
		return
	}
	// Sent figures may be large. Those of the last viewer are kept while the run goes on, in case
	// it reconnects.
	for part, other := range l.subscriptions {
		if other.viewers == 0 && (other != sub || sub.complete) {
			delete(l.subscriptions, part)
		}
	}
}

// publish samples the run until no viewer is left that has not seen the end.
func (l *live) publish() {
	for {
		l.mu.Lock()
		over := l.state.Over()
		var all []*Subscription
		for _, sub := range l.subscriptions {
			if sub.viewers > 0 && !sub.complete {
				all = append(all, sub)
			}
		}
		if len(all) == 0 {
			l.publishing = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		began := time.Now()
		for _, sub := range all {
			sub.safeSample(over)
		}
		if over {
			continue // there may be new viewers
		}
		pause := time.NewTimer(max(minInterval, samplingShare*time.Since(began)))
		select {
		case <-pause.C:
		case <-l.over:
			pause.Stop()
		}
	}
}

// safeSample calls sample and publishes an error if it panics. It is called outside of a request,
// where a panic would end the server.
func (sub *Subscription) safeSample(over bool) {
	l := sub.live
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
		sub.sent = nil // the next event is a snapshot
		sub.add("update", s, []byte("[]"), over)
	}()
	sub.sample(l.View(), l.Status(), over)
}

// sample appends an event with the changes since the last one.
func (sub *Subscription) sample(v View, s Status, over bool) {
	l := sub.live
	some, _ := figure.Paginate(v.Figures, sub.query)
	figures := make([]figure.Figure, len(some))
	for i, f := range some {
		figures[i] = f.Thin()
	}
	l.mu.Lock()
	before := sub.sent // only this goroutine writes it
	l.mu.Unlock()
	kind := "update"
	if !figure.SameSeries(before, figures) {
		before, kind = nil, "all"
	}
	news := figure.Diff(before, figures) // slow, so without the mutex
	l.mu.Lock()
	defer l.mu.Unlock()
	sub.sent = figures
	if len(sub.events) > 0 && kind == "update" && len(news) == len("[]") && s == sub.sentStatus && !over {
		return // not even the elapsed time has changed: the run is waiting
	}
	sub.add(kind, s, news, over)
}

// add appends an event. The mutex is held. Numbers are unique among all subscriptions of a run, so
// that a viewer cannot mistake the events of a new subscription for those of a dropped one.
func (sub *Subscription) add(kind string, s Status, figures []byte, over bool) {
	sub.live.lastEvent++
	after := sub.last
	sub.last, sub.sentStatus, sub.snapshot = sub.live.lastEvent, s, event{}
	text := encodeEvent(sub.last, kind, s, figures)
	if over {
		sub.complete = true
		text = append(text, "event: end\ndata: {}\n\n"...)
	}
	sub.events = append(sub.events, event{after, sub.last, text})
	first, size := len(sub.events)-1, len(text)
	for first > 0 && len(sub.events)-first < maxEvents && size+len(sub.events[first-1].text) <= maxEventBytes {
		first--
		size += len(sub.events[first].text)
	}
	sub.events = slices.Clone(sub.events[first:]) // older viewers get a snapshot
	close(sub.updated)
	sub.updated = make(chan struct{})
}

// Since returns what a viewer that has seen everything up to event id lacks, the number of the last
// event in it, a channel that is closed by the next event, and whether this is the end.
func (sub *Subscription) Since(id int64) (text []byte, last int64, news <-chan struct{}, end bool) {
	l := sub.live
	s := l.Status()
	l.mu.Lock()
	last, news, end = sub.last, sub.updated, sub.complete
	if len(sub.events) == 0 || id == last {
		l.mu.Unlock()
		return nil, id, news, end
	}
	if sub.events[0].previous <= id && id < last && id > 0 {
		for _, e := range sub.events {
			if e.id > id {
				text = append(text, e.text...)
			}
		}
		l.mu.Unlock()
		return text, last, news, end
	}
	// A new viewer, one that was away for long, or one of another server process. Many arrive at
	// once, so the snapshot is shared.
	told, whole := sub.sent, sub.snapshot
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
	if sub.last == last {
		sub.snapshot = event{id: last, text: text}
	}
	return text, last, news, end
}

// encodeEvent formats a server-sent event.
func encodeEvent(id int64, kind string, s Status, figures []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: {\"status\":%s,\"figures\":%s}\n\n", id, kind, figure.JSON(s), figures)
	return b.Bytes()
}
