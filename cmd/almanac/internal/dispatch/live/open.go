package live

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/random"
)

// A schedule is requests: when they are due after the beginning, and how much work they are. It is drawn beforehand, and all proxies get the same.
type schedule struct {
	due  []time.Duration
	work []time.Duration
}

// newSchedule has requests come at random, rate of them a second, for a time.
func newSchedule(seed, turn uint64, rate float64, mean, last time.Duration) (s schedule) {
	gaps, work := random.New(seed, turn, 0), random.New(seed, turn, 1)
	for at := 0.0; ; {
		at += gaps.Exp() / rate
		due := time.Duration(at * 1e9)
		if due > last {
			return s
		}
		s.due = append(s.due, due)
		s.work = append(s.work, time.Duration(work.Exp()*float64(mean)))
	}
}

// patience is how long an answer is waited for.
const patience = 30 * time.Second

// open sends a schedule to an address, each request when it is due, and returns how long each took from then until its answer was read, and how
// late it was sent, in milliseconds.
func (s schedule) open(ctx context.Context, address string) (took, late []float64, failed int, err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: 1 << 16, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: patience}
	took, late = make([]float64, len(s.due)), make([]float64, len(s.due))
	var all sync.WaitGroup
	begin := time.Now()
	for i, due := range s.due {
		if wait := due - time.Since(begin); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil, nil, 0, ctx.Err() // those on their way end with the context
			}
		}
		late[i] = (time.Since(begin) - due).Seconds() * 1e3
		all.Go(func() {
			took[i] = endless
			url := fmt.Sprintf("http://%s%s?us=%d", address, WorkPath, s.work[i].Microseconds())
			if get(ctx, client, url) {
				took[i] = (time.Since(begin) - due).Seconds() * 1e3
			}
		})
	}
	all.Wait()
	for _, ms := range took {
		if ms == endless {
			failed++
		}
	}
	return took, late, failed, ctx.Err()
}

// get reports whether there was a whole answer, and a good one.
func get(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusOK
}
