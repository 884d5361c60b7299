package page

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

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

// A Teller is how work tells what it does. Telling costs it nothing: what it shows is looked at
// only if somebody watches, and by others.
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

// Show says how to see what there is. The function is called later, by another goroutine, as often
// as needed, also after the work has ended; what it returns may grow meanwhile.
func (t *Teller) Show(view func() View) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	t.live.view = view
}

// A live is what viewers of work share. One goroutine, which is there only while somebody watches,
// looks at the work, and tells each [audience] what has changed of what it sees since it was last
// looked at.
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

	telling   bool
	last      int64 // the number of the latest event, of any audience
	audiences map[string]*audience
}

// How often is looked.
const (
	leastPause = 100 * time.Millisecond // between two events
	// the pause is at least so many times what it took to look, so that looking takes at most 1/40
	// of a core
	share = 40
)

func newLive(log *slog.Logger) *live {
	return &live{log: log, state: Waiting, over: make(chan struct{}), drawing: make(chan struct{}, 1),
		audiences: map[string]*audience{}}
}

// State is how far the work is.
func (l *live) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
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

// View is what there is to see. While the work goes on it is looked at anew at most ten times a
// second, and less often if that takes long, however many ask: they see the same.
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
	s := Status{State: l.state, Why: l.why, Fraction: l.progress.Fraction, Note: l.progress.Note,
		Events: l.progress.Events, Left: -1}
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
