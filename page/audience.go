package page

import (
	"bytes"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"time"
)

// An audience are the viewers of work who see the same of it: all charts, or those of one of many
// pages. What has changed is written down once for all of them, as an event. They take events at
// their own pace; one that has missed too many of them gets everything anew. So nobody waits for a
// viewer, fifty cost as much as one, and nobody is told of charts on other pages. The lock of the
// work is that of an audience.
type audience struct {
	of   *live
	part url.Values // of an address: which charts

	viewers int
	last    int64   // the number of its latest event
	events  []event // the latest of them
	told    []Figure
	status  Status        // that was told with them
	whole   event         // all that was told, if somebody has wanted it since the latest event
	news    chan struct{} // closed when there is an event
	said    bool          // everything, the end too
}

// An event is what changed, as it is sent.
type event struct {
	after, id int64 // the number of the one before it, and its own
	text      []byte
}

// How much is kept for those who come back.
const (
	mostEvents     = 64
	mostEventBytes = 1 << 20 // of them
)

// watch is called by a viewer that comes, with the address of the page that it sees, and leave when
// it goes.
func (l *live) watch(query url.Values) *audience {
	part := url.Values{"charts": {query.Get("charts")}, "find": {query.Get("find")}}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.audiences[part.Encode()]
	if a == nil {
		a = &audience{of: l, part: part, news: make(chan struct{})}
		l.audiences[part.Encode()] = a
	}
	a.viewers++
	if !l.telling && !a.said {
		l.telling = true
		go l.tell()
	}
	return a
}

func (a *audience) leave() {
	l := a.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.viewers--; a.viewers > 0 {
		return
	}
	// What was told may be large. Only while the work goes on it is kept, of the last who left, who
	// may come back.
	for part, other := range l.audiences {
		if other.viewers == 0 && (other != a || a.said) {
			delete(l.audiences, part)
		}
	}
}

// tell looks at the work now and then, while somebody watches who has not seen its end.
func (l *live) tell() {
	for {
		l.mu.Lock()
		over := l.state.Over()
		var all []*audience
		for _, a := range l.audiences {
			if a.viewers > 0 && !a.said {
				all = append(all, a)
			}
		}
		if len(all) == 0 {
			l.telling = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		began := time.Now()
		for _, a := range all {
			a.lookOrSay(over)
		}
		if over {
			continue // somebody may have come meanwhile
		}
		pause := time.NewTimer(max(leastPause, share*time.Since(began)))
		select {
		case <-pause.C:
		case <-l.over:
			pause.Stop()
		}
	}
}

// lookOrSay looks, or, should that panic, says so instead: this is nobody's request, and would end
// the server. The work goes on.
func (a *audience) lookOrSay(over bool) {
	l := a.of
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
		a.told = nil // so that whatever can be shown next is shown as a whole
		a.add("update", s, []byte("[]"), over)
	}()
	a.look(l.View(), l.Status(), over)
}

// look writes down what has changed.
func (a *audience) look(v View, s Status, over bool) {
	l := a.of
	some, _ := partOf(v.Figures, a.part)
	figures := make([]Figure, len(some))
	for i, f := range some {
		figures[i] = f.thin()
	}
	l.mu.Lock()
	before := a.told // which nobody else writes: one looks at a time
	l.mu.Unlock()
	kind := "update"
	if !sameLayout(before, figures) {
		before, kind = nil, "all"
	}
	news := changes(before, figures) // which takes a while, and nobody is to wait for it
	l.mu.Lock()
	defer l.mu.Unlock()
	a.told = figures
	if len(a.events) > 0 && kind == "update" && len(news) == len("[]") && s == a.status && !over {
		return // nothing has changed, not even how long it takes: it waits
	}
	a.add(kind, s, news, over)
}

// add writes down an event. The lock is held. Events of all audiences have different numbers, so
// that those of one that is forgotten are not taken for those of another with the same name.
func (a *audience) add(kind string, s Status, figures []byte, over bool) {
	a.of.last++
	after := a.last
	a.last, a.status, a.whole = a.of.last, s, event{}
	text := frame(a.last, kind, s, figures)
	if over {
		a.said = true
		text = append(text, "event: end\ndata: {}\n\n"...)
	}
	a.events = append(a.events, event{after, a.last, text})
	first, size := len(a.events)-1, len(text)
	for first > 0 && len(a.events)-first < mostEvents && size+len(a.events[first-1].text) <= mostEventBytes {
		first--
		size += len(a.events[first].text)
	}
	a.events = slices.Clone(a.events[first:]) // who needs more gets everything
	close(a.news)
	a.news = make(chan struct{})
}

// since is what a viewer has yet to see who saw all up to an event, the number of the last of it, a
// channel that is closed when there is more, and whether there never will be.
func (a *audience) since(id int64) (text []byte, last int64, news <-chan struct{}, end bool) {
	l := a.of
	s := l.Status()
	l.mu.Lock()
	last, news, end = a.last, a.news, a.said
	if len(a.events) == 0 || id == last {
		l.mu.Unlock()
		return nil, id, news, end
	}
	if a.events[0].after <= id && id < last && id > 0 {
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
	told, whole := a.told, a.whole
	l.mu.Unlock()
	if whole.id == last {
		return whole.text, last, news, end
	}
	text = frame(last, "all", s, changes(nil, told))
	if end {
		text = append(text, "event: end\ndata: {}\n\n"...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.last == last {
		a.whole = event{id: last, text: text}
	}
	return text, last, news, end
}

// frame is an event as it goes over the wire.
func frame(id int64, kind string, s Status, figures []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: {\"status\":%s,\"figures\":%s}\n\n", id, kind, asJSON(s), figures)
	return b.Bytes()
}
