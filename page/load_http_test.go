package page_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/page"
)

// settled is how many goroutines there are when what has ended is gone: as many at twenty looks in
// a row. Tests that wait for their turn have theirs, too, so that the number is not known
// beforehand. One that is too large makes a test less strict, and never fail.
func settled() int {
	n := runtime.NumGoroutine()
	for same := 0; same < 20; same++ {
		time.Sleep(5 * time.Millisecond)
		if now := runtime.NumGoroutine(); now != n {
			n, same = now, 0
		}
	}
	return n
}

// taken is what a server has taken when nobody asks it anything: goroutines, and memory that is in
// use.
func taken(most int) (goroutines int, bytes uint64) {
	for range 500 { // what has ended may need a moment to be gone
		if runtime.GC(); runtime.NumGoroutine() <= most {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// A watched is what a viewer was told.
type watched struct {
	updates, bytes int
	took           time.Duration
	rounds         map[float64]int // how often each round of the pool was told
	ended          bool
	err            error
}

// watch takes the events of a run until it ends, over a connection of its own.
func watch(address string, begun func()) (w watched) {
	w.rounds = map[float64]int{}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	since := time.Now() // before the first event can come
	answer, err := client.Get(address)
	if err != nil {
		w.err = err
		return w
	}
	defer answer.Body.Close()
	defer client.CloseIdleConnections()
	kind := ""
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		line := in.Text()
		w.bytes += len(line)
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			if kind = name; kind == "all" { // for one who comes, and at the end, when there are other charts
				clear(w.rounds)
			}
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || kind == "end" {
			w.ended = w.ended || kind == "end"
			continue
		}
		if w.updates++; w.updates == 2 {
			begun()
		}
		var told struct {
			Figures []struct {
				ID     string
				Series []struct {
					I int
					X []float64
				}
			}
		}
		if w.err = json.Unmarshal([]byte(data), &told); w.err != nil {
			return w
		}
		for _, f := range told.Figures {
			for _, s := range f.Series {
				if f.ID == "pool" && s.I == 0 {
					for _, x := range s.X {
						w.rounds[x]++
					}
				}
			}
		}
	}
	w.took, w.err = time.Since(since), in.Err()
	return w
}

// Fifty who watch one run, each over its own connection: everybody is told everything, each round
// once, at most ten times a second, and when they have left, what they took is free again.
func TestFiftyViewers(t *testing.T) {
	c := serve(t, page.Config{})
	c.start("/capped", balls()) // what is made once is made
	goroutines, bytes := taken(settled())
	for round := range loadRounds {
		answer, _ := c.want(http.StatusSeeOther, "POST", "/capped", balls("pace", "20", "rounds", "20000", "seed",
			strconv.Itoa(round)))
		run := answer.Header.Get("Location")
		const viewers = 50
		var all [viewers]watched
		var begun, group sync.WaitGroup
		begun.Add(viewers)
		for i := range all {
			group.Go(func() {
				once := sync.OnceFunc(begun.Done)
				all[i] = watch(c.base+run+"/events", once)
				once()
			})
		}
		begun.Wait()
		if n := runtime.NumGoroutine(); n < goroutines+viewers {
			t.Fatalf("%d goroutines with fifty viewers", n)
		}
		time.Sleep(loadWatched)
		c.want(http.StatusSeeOther, "POST", run+"/stop", nil)
		group.Wait()
		for i, w := range all {
			if w.err != nil || !w.ended || w.updates < 2 {
				t.Fatalf("viewer %d: %+v", i, w)
			}
			// One when it comes, one each tenth of a second, of which the first may be about to
			// come, and one at the end.
			if most := 10*w.took.Seconds() + 3; float64(w.updates) > most {
				t.Errorf("viewer %d was told something %d times in %v", i, w.updates, w.took)
			}
			if len(w.rounds) < 2 || len(w.rounds) != len(all[0].rounds) {
				t.Errorf("viewer %d saw %d rounds, the first %d", i, len(w.rounds), len(all[0].rounds))
			}
			for x, n := range w.rounds {
				if n != 1 {
					t.Errorf("viewer %d was told round %g %d times", i, x, n)
				}
			}
		}
		t.Logf("%d updates in %v, %d bytes each", all[0].updates, all[0].took, all[0].bytes/all[0].updates)
	}
	if g, b := taken(goroutines); g > goroutines || b > bytes+1<<20 {
		t.Errorf("%d goroutines and %d bytes before anybody watched, %d and %d after", goroutines, bytes, g, b)
	}
}

// Runs in a row, each watched to its end by a viewer: after all of them there is as much as after
// the first hundred.
func TestWatchedRuns(t *testing.T) {
	c := serve(t, page.Config{Files: someFiles(map[string]string{"walk.yaml": small}), Limits: page.Limits{Kept: 10}})
	var goroutines int
	var bytes uint64
	for i := range loadRuns {
		answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {"walk.yaml"}, "seed": {strconv.Itoa(i)},
			"replicas": {"2"}})
		run := answer.Header.Get("Location")
		if w := watch(c.base+run+"/events", func() {}); w.err != nil || !w.ended || w.updates < 1 {
			t.Fatalf("run %d: %+v", i, w)
		}
		if i == loadRuns/3 {
			goroutines, bytes = taken(settled())
		}
	}
	if g, b := taken(goroutines); g > goroutines || b > bytes+1<<19 {
		t.Errorf("%d goroutines and %d bytes after %d runs, %d and %d after %d", goroutines, bytes, loadRuns/3, g, b,
			loadRuns)
	}
	if _, body := c.want(http.StatusOK, "GET", "/runs", nil); strings.Count(body, `<li class="done">`) != 10 ||
		!strings.Contains(body, fmt.Sprintf("/runs/%d\"", loadRuns)) {
		t.Error("not the last ten are kept")
	}
}
