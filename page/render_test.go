package page

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// A drawing that waited for a core is not held against the next: the pen rests as long as for those
// of its kind before it.
func TestRenderLimiterOnBusyMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newRenderLimiter()
		for i, x := range []struct {
			kind string
			took time.Duration
			size int
			rest time.Duration
		}{{"svg", 10, 100, 10}, {"svg", 100, 100, 20}, {"svg", 20, 200, 20}, {"png", 200, 100, 200}, {"svg", 30, 300, 30},
			{"svg", 3000, 300, 60}, {"png", 900, 100, 400}, {"svg", 500, 0, 500}} {
			if taken, err := p.acquire(t.Context(), nil); !taken || err != nil {
				t.Fatal(err)
			}
			p.release(x.kind, x.took*time.Millisecond, x.size)
			began := time.Now()
			if taken, err := p.acquire(t.Context(), nil); !taken || err != nil || time.Since(began) !=
				renderShare*x.rest*time.Millisecond {
				t.Errorf("drawing %d: it rests for %v", i, time.Since(began))
			}
			<-p.token
		}
	})
}

// How many pictures of a run that goes on are drawn: once for all who want the same, not again
// while nothing has changed, and never more than a share of a core allows, whatever is wanted. Of a
// run that is over each is drawn at once. Time is virtual, and a drawing takes as much of it as it
// is told to.
func TestRenderingsShared(t *testing.T) {
	const takes = 10 * time.Millisecond
	for _, x := range []struct {
		name string
		key  func(visitor, i int) string
		rows time.Duration // between two rows of the run; 0 for none
		most int
	}{
		{"all want the same", func(_, i int) string { return "a" }, 10 * time.Millisecond,
			int(20*time.Second/(renderShare*takes)) + 1},
		{"each wants its own", func(visitor, i int) string { return fmt.Sprint(visitor) }, 10 * time.Millisecond,
			int(20*time.Second/((1+renderShare)*takes)) + 1},
		{"each ask is for another", func(visitor, i int) string { return fmt.Sprint(visitor, i) }, 10 * time.Millisecond,
			int(20*time.Second/((1+renderShare)*takes)) + 1},
		{"nothing changes", func(visitor, i int) string { return fmt.Sprint(visitor % 3) }, 0, 3},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Server{runs: runs.New(DefaultLimits().runs(), quietLog), computeSlots: make(chan struct{}, 2),
					renderer: newRenderLimiter()}
				defer s.runs.Close()
				began := time.Now()
				run, err := s.runs.Start(runs.Work{Do: func(ctx context.Context, report *runs.Reporter) error {
					report.Show(func() runs.View {
						rows := 2
						if x.rows > 0 {
							rows += int(time.Since(began) / x.rows)
						}
						return runs.View{Figures: []figure.Figure{pageFigure(rows)}}
					})
					<-ctx.Done()
					return ctx.Err()
				}})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				drawings, at := 0, 0
				ask := func(ctx context.Context, key string) {
					rows, err := s.rendered(ctx, run, "svg", key, func(v runs.View) (any, int, error) {
						if at++; at != 1 {
							t.Error("two draw at once")
						}
						time.Sleep(takes)
						at--
						drawings++
						return len(v.Figures[0].Chart.Series[0].X), 100, nil
					})
					if err == nil && rows == nil {
						t.Error("nothing was drawn")
					}
				}
				// Ten visitors ask ten times a second each, for 20 seconds, and wait for what they asked for.
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				over := make(chan struct{}, 10)
				for visitor := range 10 {
					go func() {
						for i := 0; ctx.Err() == nil; i++ {
							ask(ctx, x.key(visitor, i))
							time.Sleep(100 * time.Millisecond)
						}
						over <- struct{}{}
					}()
				}
				for range 10 {
					<-over
				}
				if drawings > x.most || drawings < x.most*9/10 {
					t.Errorf("%d drawings; at most %d were to be, and about so many", drawings, x.most)
				}
				run.Stop()
				<-run.Over()
				synctest.Wait()
				drawings, began = 0, time.Now()
				for i := range 20 {
					ask(t.Context(), fmt.Sprint("at the end ", i%10))
				}
				if drawings != 10 || time.Since(began) != 10*takes {
					t.Errorf("of a run that is over ten were drawn %d times, in %v", drawings, time.Since(began))
				}
			})
		})
	}
}

// Of a run that is over nothing is drawn with the pen, also if nobody has it: those who draw what
// goes on would wait for it to rest.
func TestRenderLimiterOfFinishedRun(t *testing.T) {
	p, over := newRenderLimiter(), make(chan struct{})
	close(over)
	for range 64 {
		if taken, err := p.acquire(t.Context(), over); taken || err != nil {
			t.Fatal("it is taken", err)
		}
	}
}

// Should looking or drawing panic, nobody waits for what was held: the pen, the turn, the place,
// the run.
func TestRenderingPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inside(t, Config{})
		var bad atomic.Bool
		run, err := s.runs.Start(runs.Work{Do: func(ctx context.Context, report *runs.Reporter) error {
			report.Show(func() runs.View {
				if bad.Load() {
					panic("a view that cannot be made")
				}
				return runs.View{Figures: []figure.Figure{pageFigure(3)}}
			})
			<-ctx.Done()
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(want int) {
			t.Helper()
			if status, body := s.get("/runs/1/figures/f.svg?w=300"); status != want {
				t.Errorf("%d: %s", status, body)
			}
		}
		s.renderer.token <- struct{}{} // so that the look which is good when it is asked for is not when it is drawn
		done := make(chan struct{})
		go func() { ask(500); close(done) }()
		synctest.Wait() // until it waits for the limiter
		bad.Store(true)
		time.Sleep(time.Second) // after which it is looked at anew
		<-s.renderer.token
		<-done
		bad.Store(false)
		ask(200)
		if len(s.renderer.token)+len(run.Rendering)+len(s.computeSlots)+len(s.responseSlots) != 0 {
			t.Errorf("held: limiter %d, run %d, compute slots %d, response slots %d", len(s.renderer.token), len(run.Rendering),
				len(s.computeSlots),
				len(s.responseSlots))
		}
	})
}

// Whoever wants a drawing while all places are taken is told so after the time that is promised,
// also if others waited before; and nobody has the pen meanwhile.
func TestRenderingWithoutSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := DefaultLimits()
		s := &Server{runs: runs.New(DefaultLimits().runs(), quietLog), limits: limits, computeSlots: make(chan struct{}, 2),
			responseSlots: make(chan struct{}, 1), renderer: newRenderLimiter()}
		defer s.runs.Close()
		run, err := s.runs.Start(runs.Work{Do: func(ctx context.Context, report *runs.Reporter) error {
			report.Show(func() runs.View { return runs.View{Figures: []figure.Figure{pageFigure(3)}} })
			<-ctx.Done()
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		s.responseSlots <- struct{}{}
		began := time.Now()
		var asks sync.WaitGroup
		for i := range 5 {
			asks.Go(func() {
				ctx := context.WithValue(t.Context(), responseKey{}, newResponse(httptest.NewRecorder(), time.Second))
				_, err := s.rendered(ctx, run, "svg", fmt.Sprint(i), func(runs.View) (any, int, error) { return nil, 1, nil })
				if err != errBusy || time.Since(began) != limits.WaitTimeout {
					t.Errorf("ask %d: %v after %v", i, err, time.Since(began))
				}
			})
		}
		synctest.Wait()
		if len(s.renderer.token) != 0 {
			t.Error("the limiter is held while waiting for a slot")
		}
		asks.Wait()
	})
}

// Whoever wants a picture of a run that goes on has it, or is told to come back, within the time
// that is promised, however many want one.
func TestRenderingTimeLimit(t *testing.T) {
	const takes = 10 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		limits := DefaultLimits()
		s := &Server{runs: runs.New(DefaultLimits().runs(), quietLog), limits: limits, computeSlots: make(chan struct{}, 2),
			responseSlots: make(chan struct{}, limits.Responses), renderer: newRenderLimiter()}
		defer s.runs.Close()
		run, err := s.runs.Start(pageHolding(nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		var drawn, sent atomic.Int64
		var asks sync.WaitGroup
		for i := range 100 {
			asks.Go(func() {
				a := newResponse(httptest.NewRecorder(), time.Second)
				defer s.release(a)
				_, err := s.rendered(context.WithValue(t.Context(), responseKey{}, a), run, "svg", fmt.Sprint(i),
					func(runs.View) (any, int, error) { time.Sleep(takes); return "it", 100, nil })
				switch took := time.Since(began); {
				case err == nil && took <= limits.WaitTimeout+takes:
					drawn.Add(1)
				case err == errBusy && took == limits.WaitTimeout:
					sent.Add(1)
				default:
					t.Errorf("picture %d: %v after %v", i, err, took)
				}
			})
		}
		asks.Wait()
		if want := int64(limits.WaitTimeout/((1+renderShare)*takes)) + 1; drawn.Load() != want || sent.Load() != 100-want {
			t.Errorf("%d are drawn and %d are told to come back; %d were to be drawn", drawn.Load(), sent.Load(), want)
		}
		if len(s.renderer.token)+len(run.Rendering)+len(s.computeSlots)+len(s.responseSlots) != 0 {
			t.Errorf("held: limiter %d, run %d, compute slots %d, response slots %d", len(s.renderer.token), len(run.Rendering),
				len(s.computeSlots),
				len(s.responseSlots))
		}
	})
}
