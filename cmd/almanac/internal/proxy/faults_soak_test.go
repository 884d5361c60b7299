//go:build soak

package proxy

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Twice as much as backends can serve, for a minute of real time, with backends that are killed and started again every few seconds, clients that reset, and clients
// that send a byte a second: memory and goroutines are at the end what they were after twenty seconds, every request is accounted for, none that is not
// idempotent was begun twice, and backends that are there are in use. How much that is, is counted by looking: of the moments at which somebody waits, in at least nine of ten
// every slot that there is is taken, or its backend rests.
func TestSoakOverload(t *testing.T) {
	const capacity, room, clients = 4, 32, 2 * (4*4 + 32)
	var backends []*process
	var urls []string
	for range 4 {
		p := newProcess(t, capacity)
		backends, urls = append(backends, p), append(urls, "http://"+p.address)
	}
	c := testConfig(urls...)
	c.Capacity, c.Room, c.Tries = capacity, room, 10
	c.ClientIdle = 5 * time.Second
	f := start(t, c)
	client := newClient(t)
	var outcomes tally
	good := make([][]bool, clients) // by client and number, a byte each: the heap is to be the proxy's
	for k := range good {
		good[k] = make([]bool, 1<<16)
	}
	var sent atomic.Uint64
	end := time.Now().Add(time.Minute)
	var all sync.WaitGroup
	for k := range clients {
		all.Go(func() {
			for i := 0; i < len(good[k]) && time.Now().Before(end); i++ {
				path := fmt.Sprintf("/%d/%d", k, i)
				sent.Add(1)
				res, err := client.Post(f.URL()+path, "text/plain", strings.NewReader(strings.Repeat("x", rand.IntN(20_000))))
				if err != nil {
					outcomes.add("broken")
					continue
				}
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				switch {
				case err != nil:
					outcomes.add("broken")
				default:
					outcomes.add(res.Status)
					if res.StatusCode == 200 {
						good[k][i] = true
					} else {
						time.Sleep(5 * time.Millisecond) // a client that is turned away, and impatient
					}
				}
			}
		})
	}
	for range 20 { // and these are slow
		all.Go(func() {
			for time.Now().Before(end) {
				conn, err := net.Dial("tcp", f.Addr())
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprintf(conn, "POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
				for range 1 + rand.IntN(5) {
					io.WriteString(conn, "x")
					time.Sleep(time.Second)
				}
				conn.(*net.TCPConn).SetLinger(0)
				conn.Close()
			}
		})
	}
	all.Go(func() {
		for i := 0; time.Now().Before(end.Add(-5 * time.Second)); i++ {
			time.Sleep(3 * time.Second)
			backends[i%4].kill()
			time.Sleep(500 * time.Millisecond)
			backends[i%4].start()
		}
	})
	state := func() (heap uint64, goroutines int) {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	var looks, full int
	var heap uint64
	var goroutines int
	for time.Now().Before(end.Add(-time.Second)) {
		time.Sleep(10 * time.Millisecond)
		s := f.Stats()
		if s.Transport.Waiting > room+4*capacity || s.Buffered > 256e6 || s.Active > clients+20+10 { // what is tried again may wait beyond the room
			t.Errorf("%+v", s)
		}
		if s.Transport.Waiting > 0 {
			looks++
			slots := 0
			for _, b := range s.Transport.Backends {
				if b.Resting == 0 && !b.Probing {
					slots += capacity - b.InFlight
				}
			}
			if slots == 0 {
				full++
			}
		}
		if heap == 0 && time.Until(end) < 40*time.Second {
			heap, goroutines = state()
		}
	}
	heap2, goroutines2 := state()
	all.Wait()
	ids := 0
	begun := map[string]int{}
	for _, b := range backends {
		for what, n := range b.served() {
			begun[what] += n
			if n != 1 || strings.HasPrefix(what, "over") || strings.Contains(what, "slow") {
				t.Errorf("%s: %d times", what, n)
			}
		}
	}
	for what, n := range begun {
		if n != 1 {
			t.Errorf("%s was begun %d times", what, n)
		}
	}
	for k := range good {
		for i, answered := range good[k] {
			if !answered {
				continue
			}
			ids++
			if what := fmt.Sprintf("POST /%d/%d", k, i); begun[what] != 1 {
				t.Errorf("%s was answered, and begun %d times", what, begun[what])
			}
		}
	}
	eventually(t, "all is over", func() bool { return f.Stats().Active == 0 })
	s := f.Stats()
	t.Logf("%v; %d begun; heap %d to %d bytes, goroutines %d to %d; somebody waited in %d of the moments, and in %d of these all slots were taken; %v",
		outcomes.all(), len(begun), heap, heap2, goroutines, goroutines2, looks, full, &s.Transport.Waits)
	total := 0
	for _, n := range outcomes.all() {
		total += n
	}
	if uint64(total) != sent.Load() || s.Transport.Requests != sent.Load() || ids != outcomes.of("200 OK") || int(s.Transport.Answered) != ids {
		t.Errorf("%d sent, %v; %+v", sent.Load(), outcomes.all(), s.Transport.Counts)
	}
	if looks < 1000 || 10*full < 9*looks {
		t.Errorf("somebody waited in %d of the moments, and in %d of these all slots were taken", looks, full)
	}
	if heap2 > heap+heap/2+1<<20 || goroutines2 > goroutines+goroutines/4+16 {
		t.Errorf("the heap went from %d to %d bytes, goroutines from %d to %d", heap, heap2, goroutines, goroutines2)
	}
}
