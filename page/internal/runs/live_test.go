package runs

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
)

// lineOf is a figure with a line of so many points.
func lineOf(n int) figure.Figure {
	s := plot.Series{Name: "a"}
	for i := range n {
		s.Add(float64(i), float64(i*i))
	}
	return figure.Figure{ID: "f", Chart: plot.Chart{Series: []plot.Series{s}}}
}

// Fifty viewers cost as many looks as one, each sees the same, at most ten events a second, and
// only what is new; nobody waits for one who does not take anything.
func TestViewersShareConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // whoever looks comes to its end
		q := newTestRuns(Limits{Running: 1, Waiting: 1, Kept: 2, Bytes: 100}, quiet)
		defer q.Close()
		var points, looks atomic.Int64
		r, err := q.Start(Work{Do: func(ctx context.Context, report *Reporter) error {
			report.Show(func() View { looks.Add(1); return View{Figures: []figure.Figure{lineOf(int(points.Load()))}} })
			for range 300 {
				time.Sleep(10 * time.Millisecond)
				points.Add(1)
				report.Progress(Progress{Fraction: float64(points.Load()) / 300})
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		const viewers = 50
		texts := make([]strings.Builder, viewers)
		var events atomic.Int64
		for i := range viewers {
			a := r.Subscribe(nil)
			go func() {
				defer a.Close()
				for seen := int64(0); ; {
					text, last, news, end := a.Since(seen)
					events.Add(last - seen)
					seen = last
					texts[i].Write(text)
					if end {
						return
					}
					<-news
				}
			}()
		}
		stays := r.Subscribe(nil) // one who takes nothing
		<-r.Over()
		time.Sleep(time.Second)
		synctest.Wait()
		for i := range texts {
			if texts[i].String() != texts[0].String() {
				t.Fatalf("viewer %d sees something else", i)
			}
		}
		if n := looks.Load(); n < 25 || n > 33 {
			t.Errorf("looked %d times in 3 seconds", n)
		}
		text := texts[0].String()
		if n := strings.Count(text, "event: update") + strings.Count(text, "event: all"); n > 32 {
			t.Errorf("%d events in 3 seconds", n)
		}
		if strings.Count(text, "event: all") != 1 || !strings.HasSuffix(text, "event: end\ndata: {}\n\n") {
			t.Errorf("%.300s … %s", text, text[len(text)-300:])
		}
		// Each point is sent once.
		if n := strings.Count(text, ",8100,") + strings.Count(text, "[8100,"); n != 1 {
			t.Errorf("the point 90² is sent %d times", n)
		}
		stays.Close()
	})
}

// Who comes back gets what it missed; who was away for too long, or comes from elsewhere, gets
// everything; and nobody looks while nobody watches.
func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // whoever looks comes to its end
		q := newTestRuns(Limits{Running: 1, Waiting: 1, Kept: 2, Bytes: 100}, quiet)
		defer q.Close()
		var points, looks atomic.Int64
		points.Store(3)
		r, err := q.Start(Work{Do: func(ctx context.Context, report *Reporter) error {
			report.Show(func() View { looks.Add(1); return View{Figures: []figure.Figure{lineOf(int(points.Load()))}} })
			<-ctx.Done()
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		if looks.Load() != 0 {
			t.Error("somebody looked")
		}
		a := r.Subscribe(nil)
		time.Sleep(50 * time.Millisecond)
		text, seen, _, _ := a.Since(0)
		if !strings.Contains(string(text), `"y":[0,1,4]`) || seen != 1 {
			t.Errorf("%d: %s", seen, text)
		}
		if again, _, _, _ := a.Since(0); &again[0] != &text[0] {
			t.Error("what everybody gets is written for each")
		}
		points.Store(5)
		time.Sleep(100 * time.Millisecond)
		text, last, _, _ := a.Since(seen)
		if want := `"series":[{"i":0,"from":3,"n":5,"x":[3,4],"y":[9,16]}]`; !strings.Contains(string(text), want) ||
			last != 2 {
			t.Errorf("%d: %s", last, text)
		}
		time.Sleep(time.Second * maxEvents / 5)
		for _, id := range []int64{1, 9999} {
			if text, _, _, _ := a.Since(id); !strings.Contains(string(text), "event: all") || !strings.Contains(string(text),
				`"y":[0,1,4,9,16]`) {
				t.Errorf("after %d: %s", id, text)
			}
		}
		a.Close()
		time.Sleep(time.Second)
		before := looks.Load()
		time.Sleep(time.Minute)
		if looks.Load() != before {
			t.Error("somebody looks, and nobody watches")
		}
		r.Stop()
		a = r.Subscribe(nil)
		time.Sleep(time.Second)
		if text, _, _, end := a.Since(0); !end || !strings.Contains(string(text), `"state":"stopped"`) ||
			!strings.Contains(string(text), "event: end") {
			t.Errorf("%s", text)
		}
		a.Close()
	})
}

// Those who see one of many pages of charts are told of these alone; of those who have left, no
// more is kept than of one page; and who comes back to a page that was forgotten gets all of it,
// also if it has had as many events since.
func TestSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second)
		q := newTestRuns(Limits{}, quiet)
		defer q.Close()
		var points atomic.Int64
		r, err := q.Start(Work{Do: func(ctx context.Context, report *Reporter) error {
			report.Show(func() View {
				all := make([]figure.Figure, 2*figure.MaxCharts)
				for i := range all {
					all[i] = lineOf(int(points.Load()))
					all[i].ID = fmt.Sprintf("f%d", i)
				}
				return View{Figures: all}
			})
			<-ctx.Done()
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		pages := []url.Values{{}, {"charts": {fmt.Sprint(figure.MaxCharts + 1)}}, {"find": {"nothing"}}}
		counts := []int{figure.MaxCharts, figure.MaxCharts, 0}
		round := func() {
			points.Add(1)
			time.Sleep(10 * minInterval)
		}
		var all []*Subscription
		for _, p := range pages {
			all = append(all, r.Subscribe(p))
		}
		round()
		if r.Subscribe(url.Values{"charts": {""}, "of": {"x"}}) != all[0] {
			t.Error("two viewers of the same charts have different subscriptions")
		}
		all[0].Close()
		for i, a := range all {
			text, last, _, _ := a.Since(0)
			if n := strings.Count(string(text), `"id":`); n != counts[i] || counts[i] > 0 && !strings.Contains(string(text),
				fmt.Sprintf(`"id":"f%d"`, i*figure.MaxCharts)) {
				t.Errorf("page %v is told of %d charts: %.200s", pages[i], n, text)
			}
			round()
			if text, _, _, _ = a.Since(last); strings.Count(string(text), `"id":`) != counts[i] || strings.Contains(string(text),
				"event: all") {
				t.Errorf("page %v is told of %.200s", pages[i], text)
			}
		}
		_, seen, _, _ := all[1].Since(0)
		all[1].Close()
		all[2].Close()
		all[0].Close()
		if len(r.subscriptions) != 1 {
			t.Errorf("of %d pages what was told is kept", len(r.subscriptions))
		}
		all[0], all[1] = r.Subscribe(pages[0]), r.Subscribe(pages[1])
		gets := 0
		for range 2 * maxEvents {
			time.Sleep(minInterval)
			text, _, _, _ := all[1].Since(seen)
			if gets += len(text); len(text) > 0 && !strings.Contains(string(text), "event: all") {
				t.Fatalf("who comes back to a page that was forgotten gets %.200s", text)
			}
		}
		if gets == 0 {
			t.Error("who comes back gets nothing")
		}
		all[0].Close()
		all[1].Close()
	})
}

// Work that cannot be looked at, because of a mistake of ours, goes on, and viewers are told how it
// goes; what can be looked at later is shown as a whole.
func TestSamplingPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second)
		var log strings.Builder
		q := newTestRuns(Limits{}, slog.New(slog.NewTextHandler(&log, nil)))
		defer q.Close()
		var well atomic.Bool
		let := make(chan struct{})
		r, err := q.Start(Work{Do: func(ctx context.Context, report *Reporter) error {
			report.Show(func() View {
				if !well.Load() {
					panic("a bug")
				}
				return View{Figures: []figure.Figure{lineOf(3)}}
			})
			report.Progress(Progress{Fraction: 0.5})
			<-let
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		a := r.Subscribe(nil)
		defer a.Close()
		time.Sleep(time.Second)
		text, seen, _, _ := a.Since(0)
		if !strings.Contains(string(text), `"fraction":0.5`) {
			t.Errorf("%s", text)
		}
		text, seen, _, end := a.Since(seen - 1)
		if !strings.Contains(string(text), "cannot be shown") || end || !strings.Contains(log.String(), "a bug") {
			t.Errorf("%s", text)
		}
		well.Store(true)
		time.Sleep(time.Second)
		if text, _, _, _ := a.Since(seen); strings.Count(string(text), "event: all") != 1 || !strings.Contains(string(text),
			`"y":[0,1,4]`) {
			t.Errorf("%s", text)
		}
		well.Store(false)
		close(let)
		time.Sleep(time.Second)
		if text, _, _, end := a.Since(0); !end || r.State() != Done || !strings.Contains(string(text), "event: end") {
			t.Errorf("%s, %s", r.State(), text)
		}
	})
}

// What takes long to look at is looked at less often: at most a fortieth of the time.
func TestSamplingShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // whoever looks comes to its end
		q := newTestRuns(Limits{Running: 1, Waiting: 1, Kept: 2, Bytes: 100}, quiet)
		defer q.Close()
		var looks atomic.Int64
		r, err := q.Start(Work{Do: func(ctx context.Context, report *Reporter) error {
			report.Show(func() View { looks.Add(1); time.Sleep(50 * time.Millisecond); return View{} })
			<-ctx.Done()
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		a := r.Subscribe(nil)
		defer a.Close()
		time.Sleep(41 * time.Second)
		if n := looks.Load(); n < 19 || n > 21 {
			t.Errorf("looked for %d × 50 ms in 41 s", n)
		}
	})
}
