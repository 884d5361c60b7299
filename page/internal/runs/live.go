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

// Progress says how much of the work is done.
type Progress struct {
	Fraction float64
	Events   uint64
	Note     string // such as "day 34" or "3 of 20 replicas"
}

// A View is the visible state of work, during the work and after it.
type View struct {
	Figures []figure.Figure
	Tables  []figure.Table
	Files   []figure.File // downloads

	Result *population.Result      // of a finished run of a model, for comparisons
	Sweep  interface{ Size() int } // of a finished sweep, for the pages of its points
}

// A Reporter publishes the progress of work. It is cheap: views are computed by other goroutines,
// and only if there are viewers.
type Reporter struct {
	live  *live
	Where string // address of the run's page
}

// Progress sets the progress.
func (t *Reporter) Progress(p Progress) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	t.live.progress = p
}

// Show sets the function that computes the view. It is called from other goroutines, also after the
// work has ended.
func (t *Reporter) Show(view func() View) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	t.live.view = view
}

// live is the observable part of a run. While there are viewers, one goroutine samples the view and
// appends what has changed to each [Subscription].
type live struct {
	log *slog.Logger

	mu           sync.Mutex
	state        State
	why          string
	began, ended time.Time
	progress     Progress
	view         func() View
	over         chan struct{} // closed at the end

	sampling   sync.Mutex   // held while the view is computed
	sample     View         // the last view
	freshUntil time.Time    // when sample expires
	final      bool         // sample is of a finished run
	size       atomic.Int64 // bytes of sample, estimate

	version       int                  // counts the samples that differ from the one before
	renderings    map[string]Rendering // cache; entries may be of earlier versions
	renderedBytes int
	Rendering     chan struct{} // holds a token while a goroutine renders this run

	publishing    bool
	lastEvent     int64 // number of the latest event of any subscription
	subscriptions map[string]*Subscription
}

// Sampling takes at most 1/41 of a core.
const (
	minInterval = 100 * time.Millisecond // between two events
	// a pause is at least this many times the duration of the last sample
	samplingShare = 40
)

func newLive(log *slog.Logger) *live {
	return &live{log: log, state: Waiting, over: make(chan struct{}), Rendering: make(chan struct{}, 1),
		subscriptions: map[string]*Subscription{}}
}

// State returns the state of the run.
func (l *live) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// Over returns a channel that is closed at the end of the run.
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

// View returns a recent view. It is computed at most ten times a second for all callers together,
// and less often if that takes long.
func (l *live) View() View {
	v, _ := l.Sample()
	return v
}

// Sample returns a recent view and its version.
func (l *live) Sample() (View, int) {
	l.sampling.Lock()
	defer l.sampling.Unlock() // also after a panic
	v := l.sampleLocked()
	return v, l.version
}

// sampleLocked is View for callers that hold l.sampling.
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

// A Status is the state of a run in numbers and words.
type Status struct {
	State    State   `json:"state"`
	Why      string  `json:"why,omitempty"`
	Fraction float64 `json:"fraction"`
	Note     string  `json:"note,omitempty"`
	Events   uint64  `json:"events"`
	Rate     float64 `json:"rate"`    // events per second
	Seconds  float64 `json:"seconds"` // since the start
	Left     float64 `json:"left"`    // estimate in seconds, or −1
}

// Status returns the current status.
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

// Size estimates the bytes of a view.
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

// Duration formats a time in seconds for people.
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
