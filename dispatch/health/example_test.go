package health_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// A server that fails twice in a row is ejected for a millisecond, and healthy again after a probe.
func Example() {
	var (
		mu     sync.Mutex // of the balancer
		server health.State
		start  = time.Now()
		rule   = health.Rule{After: 2, First: time.Millisecond, Most: health.Most}
		again  = make(chan bool)
	)
	reopen := func(epoch uint64) { // in a goroutine of its own
		mu.Lock()
		defer mu.Unlock()
		if server.Is(epoch) && server.Reopen() {
			close(again)
		}
	}
	try := func(v health.Verdict) {
		mu.Lock()
		defer mu.Unlock()
		a := server.Begin(reopen)
		if v == health.Success {
			server.Responded(a)
		}
		server.End(a, v, rule, int64(time.Since(start)), reopen)
		fmt.Println("available:", server.Available(), "ejected:", server.Ejected())
	}
	try(health.Failure)
	try(health.Failure)
	<-again
	fmt.Println("half-open:", server.HalfOpen())
	try(health.Success)
	// Output:
	// available: true ejected: false
	// available: false ejected: true
	// half-open: true
	// available: true ejected: false
}
