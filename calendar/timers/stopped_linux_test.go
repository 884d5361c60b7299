package timers

import (
	"bufio"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// The process is stopped (SIGSTOP) while timers are pending and being reset, for a minute in make
// soak. Afterwards those that were due fire, no one is early, and all go on.
func TestStoppedProcess(t *testing.T) {
	if os.Getenv(child) != "" {
		beStopped(t)
		return
	}
	stop := testscale.Size(500*time.Millisecond, time.Minute)
	c := childOf(t)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var all []string
	for lines.Scan() {
		all = append(all, lines.Text())
		if lines.Text() == "ready" {
			time.Sleep(100 * time.Millisecond)
			for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
				if err := c.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				if sig == syscall.SIGSTOP {
					time.Sleep(stop)
				}
			}
		}
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v\n%s", err, strings.Join(all, "\n"))
	}
}

// beStopped is the process that is stopped. It ends when timers that are longer than the stop have
// fired.
func beStopped(t *testing.T) {
	ts := New(Resolution(50 * time.Microsecond))
	ts.ready().clock.within = 1 << 30
	base := time.Now()
	var early, fired atomic.Int64
	const n = 2000
	all := make([]Timer, n)
	for i := range all {
		d := time.Duration(i) * time.Millisecond / 2
		to := time.Since(base) + d
		all[i] = ts.AfterFunc(d, func() {
			fired.Add(1)
			if time.Since(base) < to {
				early.Add(1)
			}
		})
	}
	// Timers that are reset all the while, by readings that the stop makes old.
	var wg sync.WaitGroup
	var quit atomic.Bool
	reset := make([]owned, 4)
	for i := range reset {
		o, r := &reset[i], rand.New(rand.NewPCG(5, uint64(i)))
		o.base = base
		wg.Go(func() {
			for !quit.Load() {
				if err := o.step(ts, r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	os.Stdout.WriteString("ready\n")
	for fired.Load() < n {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	quit.Store(true)
	wg.Wait()
	waitEmpty(ts)
	if err := ts.check(); err != nil {
		t.Error(err)
	}
	ts.Close()
	for i := range reset {
		if err := reset[i].verify(); err != nil {
			t.Error(err)
		}
	}
	if fired.Load() != n || early.Load() != 0 {
		t.Errorf("%d of %d fired, %d early", fired.Load(), n, early.Load())
	}
}
