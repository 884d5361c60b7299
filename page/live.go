package page

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// Progress is how far work has come.
type Progress struct {
	Fraction float64
	Events   uint64
	Note     string // where it is: day 34, or 3 of 20 replicas
}

// A View is what there is to see of work, while it goes on and at its end.
type View struct {
	Figures []Figure
	Tables  []Table
	Files   []File // to take away

	Result *population.Result // if it is of one run of a model that has ended, so that it can be compared
	Sweep  *swept             // if it is of a sweep that has ended, so that its points can be opened
}

// A Teller is how work tells what it does. Telling costs it nothing: what it shows is looked at only if somebody watches, and by others.
type Teller struct {
	live  *live
	where string // the address of its page
}

// Progress tells how far it is.
func (t *Teller) Progress(p Progress) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	t.live.progress = p
}

// Show says how to see what there is. The function is called later, by another goroutine, as often as needed, also after the work has
// ended; what it returns may grow meanwhile.
func (t *Teller) Show(view func() View) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	t.live.view = view
}

// A live is what viewers of work share. One goroutine, which is there only while somebody watches, looks at the work, works out what has
// changed since it last looked, and writes that down once, as an event. Viewers take events at their own pace; one that has
// missed too many of them gets everything anew. So nobody waits for a viewer, and fifty cost as much as one.
type live struct {
	log *slog.Logger

	mu           sync.Mutex
	state        State
	why          string
	began, ended time.Time
	progress     Progress
	view         func() View
	over         chan struct{} // closed at the end

	looking sync.Mutex   // held while somebody looks, so that others wait for what they would see
	seen    View         // as it was last looked at
	fresh   time.Time    // until when that is good enough
	final   bool         // it is of the end, and will not change
	size    atomic.Int64 // bytes of what was last looked at, about

	looks      int                // how often it was looked at and was another
	drawn      map[string]drawing // what was drawn of it, which is also of looks before while that is good enough
	drawnBytes int
	drawing    chan struct{} // has one in it while somebody draws

	viewers int
	telling bool
	last    int64   // the number of the latest event
	events  []event // the latest of them
	told    []Figure
	status  Status        // that was told with them
	whole   event         // all that was told, if somebody has wanted it since the latest event
	news    chan struct{} // closed when there is an event
	said    bool          // everything, the end too
}

// An event is what changed, as it is sent.
type event struct {
	id   int64
	text []byte
}

// How often and how much is told.
const (
	leastPause     = 100 * time.Millisecond // between two events
	share          = 40                     // the pause is at least so many times what it took to look, so that looking takes at most 1/40 of a core
	mostEvents     = 64                     // that are kept for those who come back
	mostEventBytes = 1 << 20                // of them
)

func newLive(log *slog.Logger) *live {
	return &live{log: log, state: Waiting, over: make(chan struct{}), drawing: make(chan struct{}, 1), news: make(chan struct{})}
}

// State is how far the work is.
func (l *live) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// Why says why it is not done.
func (l *live) Why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// Over is closed when nothing more will happen.
func (l *live) Over() <-chan struct{} { return l.over }

func (l *live) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.began = Running, time.Now()
}

func (l *live) end(s State, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		l.began = time.Now()
	}
	l.state, l.why, l.ended = s, why, time.Now()
	if s == Done {
		l.progress.Fraction = 1
	}
	close(l.over)
}

// View is what there is to see. While the work goes on it is looked at anew at most ten times a second, and less often if that takes long,
// however many ask: they see the same.
func (l *live) View() View {
	v, _ := l.viewAndLook()
	return v
}

// viewAndLook is View, and which look that is.
func (l *live) viewAndLook() (View, int) {
	l.looking.Lock()
	defer l.looking.Unlock() // also if looking panics
	v := l.viewNow()
	return v, l.looks
}

// viewNow is View, for who has the lock.
func (l *live) viewNow() View {
	l.mu.Lock()
	show, over := l.view, l.state.Over()
	l.mu.Unlock()
	if show == nil || l.final || !over && time.Now().Before(l.fresh) {
		return l.seen
	}
	began := time.Now()
	before := l.seen.Figures
	if l.seen, l.final = show(), over; !sameFigures(before, l.seen.Figures) {
		l.looks++
	}
	l.size.Store(int64(l.seen.size()))
	l.fresh = time.Now().Add(max(leastPause, share*time.Since(began)))
	return l.seen
}

// A Status is how work is going, in numbers and words.
type Status struct {
	State    State   `json:"state"`
	Why      string  `json:"why,omitempty"`
	Fraction float64 `json:"fraction"`
	Note     string  `json:"note,omitempty"`
	Events   uint64  `json:"events"`
	Rate     float64 `json:"rate"`    // events a second
	Seconds  float64 `json:"seconds"` // since it began
	Left     float64 `json:"left"`    // seconds, or −1 if nobody knows
}

// Status is how it is going.
func (l *live) Status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Status{State: l.state, Why: l.why, Fraction: l.progress.Fraction, Note: l.progress.Note, Events: l.progress.Events, Left: -1}
	if l.began.IsZero() {
		return s
	}
	to := l.ended
	if !l.state.Over() {
		to = time.Now()
	}
	s.Seconds = to.Sub(l.began).Seconds()
	if s.Seconds > 0 {
		s.Rate = float64(s.Events) / s.Seconds
	}
	if l.state == Running && s.Fraction > 0.01 {
		s.Left = s.Seconds * (1 - s.Fraction) / s.Fraction
	}
	return s
}

// watch is called by a viewer that comes, and leave when it goes.
func (l *live) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.viewers++
	if !l.telling && !l.said {
		l.telling = true
		go l.tell()
	}
}

func (l *live) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.viewers--
	if l.said && l.viewers == 0 { // what was told may be large; for who comes now it is written down anew
		l.told, l.events, l.whole, l.said = nil, nil, event{}, false
	}
}

// tell looks at the work now and then, while somebody watches.
func (l *live) tell() {
	for {
		l.mu.Lock()
		over, watched := l.state.Over(), l.viewers > 0
		if !watched {
			l.telling = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		began := time.Now()
		l.lookOrSay(over)
		if over {
			return
		}
		pause := time.NewTimer(max(leastPause, share*time.Since(began)))
		select {
		case <-pause.C:
		case <-l.over:
			pause.Stop()
		}
	}
}

// lookOrSay looks, or, should that panic, says so instead: this is nobody's request, and would end the server. The work goes on.
func (l *live) lookOrSay(over bool) {
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
		l.told = nil // so that whatever can be shown next is shown as a whole
		l.add("update", s, []byte("[]"), over)
	}()
	l.look(l.View(), l.Status(), over)
}

// look writes down what has changed.
func (l *live) look(v View, s Status, over bool) {
	figures := make([]Figure, len(v.Figures))
	for i, f := range v.Figures {
		figures[i] = f.thin()
	}
	l.mu.Lock()
	before := l.told // which nobody else writes: one looks at a time
	l.mu.Unlock()
	kind := "update"
	if !sameLayout(before, figures) {
		before, kind = nil, "all"
	}
	news := changes(before, figures) // which takes a while, and nobody is to wait for it
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = figures
	if l.last > 0 && kind == "update" && len(news) == len("[]") && s == l.status && !over {
		return // nothing has changed, not even how long it takes: it waits
	}
	l.add(kind, s, news, over)
}

// add writes down an event. The lock is held.
func (l *live) add(kind string, s Status, figures []byte, over bool) {
	l.last++
	l.status, l.whole = s, event{}
	text := frame(l.last, kind, s, figures)
	if over {
		l.said, l.telling = true, false
		text = append(text, "event: end\ndata: {}\n\n"...)
	}
	l.events = append(l.events, event{l.last, text})
	first, size := len(l.events)-1, len(text)
	for first > 0 && len(l.events)-first < mostEvents && size+len(l.events[first-1].text) <= mostEventBytes {
		first--
		size += len(l.events[first].text)
	}
	l.events = append([]event(nil), l.events[first:]...) // who needs more gets everything
	close(l.news)
	l.news = make(chan struct{})
}

// since is what a viewer has yet to see who saw all up to an event, the number of the last of it, a channel that is closed when there is more,
// and whether there never will be.
func (l *live) since(id int64) (text []byte, last int64, news <-chan struct{}, end bool) {
	s := l.Status()
	l.mu.Lock()
	last, news, end = l.last, l.news, l.said
	n := len(l.events)
	if id == last || n == 0 {
		l.mu.Unlock()
		return nil, last, news, end
	}
	if id > 0 && id < last && l.events[0].id <= id+1 {
		for _, e := range l.events[n-int(last-id):] {
			text = append(text, e.text...)
		}
		l.mu.Unlock()
		return text, last, news, end
	}
	// A new one, or one that was away for long, or that comes from another server's run of the same number. Many come at once, and what is written for one
	// is for all of them.
	told, whole := l.told, l.whole
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
	if l.last == last {
		l.whole = event{last, text}
	}
	return text, last, news, end
}

// frame is an event as it goes over the wire.
func frame(id int64, kind string, s Status, figures []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: {\"status\":%s,\"figures\":%s}\n\n", id, kind, asJSON(s), figures)
	return b.Bytes()
}

// sameLayout reports whether figures have the same series, so that changes can be told by their numbers.
func sameLayout(a, b []Figure) bool { return layoutOf(a) == layoutOf(b) }

func layoutOf(figures []Figure) string {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "%q:", f.ID)
		for _, s := range f.Chart.Series {
			fmt.Fprintf(&b, "%q,", s.Name)
		}
	}
	return b.String()
}

// sameFigures reports whether drawings of some figures are those of others. Maps are not looked into.
func sameFigures(a, b []Figure) bool {
	if !sameLayout(a, b) {
		return false
	}
	for i, f := range b {
		if f.Map != nil || a[i].Map != nil || a[i].Caption != f.Caption || a[i].Chart.Note != f.Chart.Note {
			return false
		}
		for k, s := range f.Chart.Series {
			was := a[i].Chart.Series[k]
			if from, to := difference(was, s); from < to || len(was.X) != len(s.X) {
				return false
			}
		}
	}
	return true
}

// changes are the points of figures that differ from those before, as JSON: for each series that has some, from which one on, and how many
// there are in all.
func changes(before, now []Figure) []byte {
	b := []byte{'['}
	for i, f := range now {
		var old Figure
		if before != nil {
			old = before[i]
		}
		part := []byte{}
		for k, s := range f.Chart.Series {
			var was plot.Series
			if before != nil {
				was = old.Chart.Series[k]
			}
			from, to := difference(was, s)
			if before != nil && from == to && len(was.X) == len(s.X) {
				continue
			}
			if len(part) > 0 {
				part = append(part, ',')
			}
			part = fmt.Appendf(part, `{"i":%d,"from":%d,"n":%d`, k, from, len(s.X))
			part = appendColumns(part, s, from, to)
			part = append(part, '}')
		}
		if before != nil && len(part) == 0 && f.Chart.Note == old.Chart.Note {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":%s,"note":%s,"series":[`, asJSON(f.ID), asJSON(f.Chart.Note))
		b = append(append(b, part...), ']', '}')
	}
	return append(b, ']')
}

// difference is from which to which point a series is another.
func difference(was, now plot.Series) (from, to int) {
	if (was.Low == nil) != (now.Low == nil) {
		return 0, len(now.X)
	}
	same := func(i int) bool {
		return i < len(was.X) && was.X[i] == now.X[i] && was.Y[i] == now.Y[i] && (now.Low == nil || was.Low[i] == now.Low[i] && was.High[i] == now.High[i])
	}
	for from < len(now.X) && same(from) {
		from++
	}
	for to = len(now.X); to > from && same(to-1); to-- {
	}
	return from, to
}
