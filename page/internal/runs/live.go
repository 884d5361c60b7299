package runs

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/page/internal/figure"
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
	Figures []figure.Figure
	Tables  []figure.Table
	Files   []figure.File // to take away

	Result *population.Result      // if it is of one run of a model that has ended, so that it can be compared
	Sweep  interface{ Size() int } // if it is of a sweep that has ended, so that its points can be opened
}

// A Reporter is how work tells what it does. Telling costs it nothing: what it shows is looked at
// only if somebody watches, and by others.
type Reporter struct {
	live  *live
	Where string // the address of its page
}

// Progress tells how far it is.
func (t *Reporter) Progress(p Progress) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	t.live.progress = p
}

// Show says how to see what there is. The function is called later, by another goroutine, as often
// as needed, also after the work has ended; what it returns may grow meanwhile.
func (t *Reporter) Show(view func() View) {
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

	sampling   sync.Mutex   // held while somebody looks, so that others wait for what they would see
	sample     View         // as it was last looked at
	freshUntil time.Time    // until when that is good enough
	final      bool         // it is of the end, and will not change
	size       atomic.Int64 // bytes of what was last looked at, about

	version       int                  // how often it was looked at and was another
	renderings    map[string]Rendering // what was drawn of it, which is also of looks before while that is good enough
	renderedBytes int
	Rendering     chan struct{} // has one in it while somebody draws

	publishing    bool
	lastEvent     int64 // the number of the latest event, of any audience
	subscriptions map[string]*Subscription
}

// How often is looked.
const (
	minInterval = 100 * time.Millisecond // between two events
	// the pause is at least so many times what it took to look, so that looking takes at most 1/40
	// of a core
	samplingShare = 40
)

func newLive(log *slog.Logger) *live {
	return &live{log: log, state: Waiting, over: make(chan struct{}), Rendering: make(chan struct{}, 1),
		subscriptions: map[string]*Subscription{}}
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
	v, _ := l.Sample()
	return v
}

// Sample is View, and which look that is.
func (l *live) Sample() (View, int) {
	l.sampling.Lock()
	defer l.sampling.Unlock() // also if looking panics
	v := l.sampleLocked()
	return v, l.version
}

// sampleLocked is View, for who has the lock.
func (l *live) sampleLocked() View {
	l.mu.Lock()
	show, over := l.view, l.state.Over()
	l.mu.Unlock()
	if show == nil || l.final || !over && time.Now().Before(l.freshUntil) {
		return l.sample
	}
	began := time.Now()
	before := l.sample.Figures
	if l.sample, l.final = show(), over; !figure.Equal(before, l.sample.Figures) {
		l.version++
	}
	l.size.Store(int64(l.sample.Size()))
	l.freshUntil = time.Now().Add(max(minInterval, samplingShare*time.Since(began)))
	return l.sample
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

// Size is about how many bytes there are to see.
func (v View) Size() int {
	n := 0
	for _, f := range v.Figures {
		n += 1 << 10
		for _, s := range f.Chart.Series {
			n += 8 * (len(s.X) + len(s.Y) + len(s.Low) + len(s.High))
		}
		if f.Map != nil {
			for _, row := range f.Map.Z {
				n += 16 * len(row)
			}
		}
	}
	for _, t := range v.Tables {
		for _, row := range t.Rows {
			for _, cell := range row {
				n += 16 + len(cell)
			}
		}
		for _, link := range t.Links {
			n += 16 + len(link)
		}
	}
	if v.Sweep != nil {
		n += v.Sweep.Size()
	}
	return n
}

// Duration is a time as one says it.
func Duration(seconds float64) string {
	switch {
	case seconds < 0:
		return ""
	case seconds < 0.95:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 5400:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
