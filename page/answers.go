package page

import (
	"context"
	"net/http"
	"time"
)

// An answer knows whether it has begun: what goes wrong then, mostly that the visitor has left, can
// only end it. It may be long, as long as the visitor takes some of it now and then, and all of it
// at leastPace.
type answer struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	begun    bool
	asked    time.Time
	endless  bool          // it is a stream of what happens, and as slow as that
	placed   bool          // it has a place
	waited   time.Duration // for the visitor to take what was written
	taken    int64         // bytes
}

// leastPace is how many bytes a second a visitor takes at least, after the first while: less would
// hold a large page in memory for hours.
const leastPace = 32 << 10

// answerKey is where the context of a request has its answer.
type answerKey struct{}

func newAnswer(to http.ResponseWriter, patience time.Duration) *answer {
	return &answer{ResponseWriter: to, control: http.NewResponseController(to), patience: patience, asked: time.Now()}
}

func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (n int, err error) {
	a.begun = true
	for first := true; err == nil && (first || n < len(b)); first = false {
		began, patience := time.Now(), a.patience
		if !a.endless { // what it took us to make it is not held against the visitor
			patience = min(patience, a.patience+time.Duration(float64(a.taken)/leastPace*1e9)-a.waited)
		}
		_ = a.control.SetWriteDeadline(began.Add(patience))
		var k int
		k, err = a.ResponseWriter.Write(b[n:min(len(b), n+1<<16)])
		n += k
		a.taken += int64(k)
		a.waited += time.Since(began)
	}
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// patience is until when the visitor of a request waits for its answer to begin, and is then told
// to come back: whoever waits in the context that is returned does so until then, and finds [busy]
// as its cause.
func (s *Server) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if a, ok := ctx.Value(answerKey{}).(*answer); ok {
		return context.WithDeadlineCause(ctx, a.asked.Add(s.limits.Turn), busy)
	}
	return ctx, func() {}
}

// enter takes one of so many rooms, as soon as there is one. Others wait in turn, and are told to
// come back if it is long since they asked.
func (s *Server) enter(ctx context.Context, rooms chan struct{}) error {
	select {
	case rooms <- struct{}{}: // also for who has waited for something else for long
		return nil
	default:
	}
	ctx, cancel := s.patience(ctx)
	defer cancel()
	select {
	case rooms <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// place gives the answer of a request a place, before memory is taken for it: it has it until the
// visitor has taken the answer.
func (s *Server) place(ctx context.Context) error {
	a, _ := ctx.Value(answerKey{}).(*answer)
	if a == nil || a.placed {
		return nil
	}
	err := s.enter(ctx, s.places)
	a.placed = err == nil
	return err
}

// leave gives the place of an answer to the next.
func (s *Server) leave(a *answer) {
	if a.placed {
		a.placed = false
		<-s.places
	}
}

// inTurn does what takes a while of a core, as reading a large model or drawing does, no more than
// a few at once.
func (s *Server) inTurn(ctx context.Context, do func() error) error {
	_, err := made(ctx, s, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// made is what a function makes in turn; see inTurn.
func made[T any](ctx context.Context, s *Server, do func() (T, error)) (what T, err error) {
	if err = s.place(ctx); err != nil {
		return what, err
	}
	if err = s.enter(ctx, s.turns); err != nil {
		return what, err
	}
	defer func() { <-s.turns }()
	return do()
}
