package dispatchhttp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A limited is a Limiter whose handler sleeps as long as a request asks for, and records the order.
type limited struct {
	*Limiter
	mu    sync.Mutex
	order []string
}

func newLimited(opts ...LimitOption) *limited {
	l := &limited{}
	l.Limiter = Limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.order = append(l.order, r.FormValue("name"))
		l.mu.Unlock()
		pause, _ := time.ParseDuration(r.FormValue("sleep"))
		time.Sleep(pause)
	}), opts...)
	return l
}

// ask sends a request without a network, and waits until all goroutines are blocked.
func (l *limited) ask(ctx context.Context, name, sleep string, header ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/?name="+name+"&sleep="+sleep, nil).WithContext(ctx)
	r.RemoteAddr = "10.1.2.3:4"
	if len(header) > 0 {
		r.Header[StartHeader] = header
	}
	w.Code = 0
	go l.ServeHTTP(w, r)
	synctest.Wait()
	return w
}

func (l *limited) want(t *testing.T, names ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.order, names) {
		t.Errorf("the order is %v, want %v", l.order, names)
	}
	l.order = nil
}

// At most c requests at once, a bounded queue, and 429 for the others; a request leaves the queue
// when its client goes away, and after MaxWait.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimited(Capacity(2), PoolLimit(3), MaxWait(25*time.Second))
		l.ask(t.Context(), "a", "10s")
		l.ask(t.Context(), "b", "20s")
		ctx, leave := context.WithCancel(t.Context())
		l.ask(ctx, "c", "1s")
		l.ask(t.Context(), "d", "90s")
		l.ask(t.Context(), "e", "90s")
		w := l.ask(t.Context(), "f", "1s")
		if w.Code != 429 || w.Header().Get("Retry-After") != "1" { // nothing has been measured
			t.Error(w.Code, w.Header())
		}
		leave()
		synctest.Wait()
		if s := l.Stats(); s.Waiting != 2 || s.InFlight != 2 || s.Full != 1 || s.Canceled != 1 || s.Requests != 6 {
			t.Errorf("%+v", s)
		}
		late := l.ask(t.Context(), "g", "1s")
		if late.Code != 0 {
			t.Error("there is no room after a request has left")
		}
		l.want(t, "a", "b")
		time.Sleep(21 * time.Second)
		synctest.Wait()
		l.want(t, "d", "e")
		// Slots were held for 10 s and 20 s: 10 + 10/16 on average; the last of the queue waits for
		// one half of that.
		w = nil
		for range 3 {
			w = l.ask(t.Context(), "h", "1s")
		}
		if w.Code != 429 || w.Header().Get("Retry-After") != "22" { // ⌈10.625 · 4 / 2⌉
			t.Error(w.Code, w.Header())
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if late.Code != 429 || !strings.Contains(late.Body.String(), "waited too long") {
			t.Error(late.Code, late.Body)
		}
		time.Sleep(5 * time.Minute)
		s := l.Stats()
		if s.TooOld != 3 || s.Completed != 4 || s.Full != 2 || s.Waiting+s.InFlight != 0 || s.Backends != nil {
			t.Errorf("%+v", s)
		}
		if err := l.scheduler.verify(); err != nil {
			t.Error(err)
		}
	})
}

// Retry-After is bounded.
func TestLimitRetryAfterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimited(Capacity(1), PoolLimit(0))
		for _, c := range []struct{ sleep, want string }{{"1ns", "1"}, {"1000h", "60"}} {
			l.ask(t.Context(), "a", c.sleep)
			time.Sleep(1001 * time.Hour)
			l.ask(t.Context(), "b", "1s")
			if w := l.ask(t.Context(), "c", "1s"); w.Header().Get("Retry-After") != c.want {
				t.Errorf("after %s: %v", c.sleep, w.Header())
			}
			time.Sleep(2 * time.Second)
		}
	})
}

// The start orders waiting requests if it is trusted, within bounds, and never otherwise.
func TestLimitStartTimes(t *testing.T) {
	networks := TrustedNetworks(netip.MustParsePrefix("10.0.0.0/8"))
	for name, c := range map[string]struct {
		opts []LimitOption
		want []string
	}{
		"trusted": {[]LimitOption{TrustStart(networks, time.Minute)},
			[]string{"oldest", "older", "old", "plain", "words", "two", "future"}},
		"trusted less": { // ten seconds at most: these have the same age
			[]LimitOption{TrustStart(networks, 10*time.Second)},
			[]string{"old", "oldest", "older", "plain", "words", "two", "future"}},
		"none": {nil, []string{"plain", "old", "words", "oldest", "two", "older", "future"}},
		"others": {[]LimitOption{TrustStart(TrustedNetworks(netip.MustParsePrefix("10.1.2.4/32")), time.Minute)},
			[]string{"plain", "old", "words", "oldest", "two", "older", "future"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimited(append(c.opts, Capacity(1), PoolLimit(10))...)
				ago := func(d time.Duration) string { return FormatStart(time.Now().Add(-d)) }
				l.ask(t.Context(), "", "1s")
				l.ask(t.Context(), "plain", "1s")
				time.Sleep(time.Millisecond)
				l.ask(t.Context(), "old", "1s", ago(20*time.Second))
				time.Sleep(time.Millisecond)
				l.ask(t.Context(), "words", "1s", "yesterday")
				time.Sleep(time.Millisecond)
				l.ask(t.Context(), "oldest", "1s", "0") // 1970; as old as trusted
				time.Sleep(time.Millisecond)
				l.ask(t.Context(), "two", "1s", ago(time.Minute), ago(time.Minute))
				time.Sleep(time.Millisecond)
				l.ask(t.Context(), "older", "1s", ago(30*time.Second))
				time.Sleep(time.Millisecond)
				l.ask(t.Context(), "future", "1s", ago(-time.Hour))
				time.Sleep(time.Minute)
				synctest.Wait()
				l.want(t, append([]string{""}, c.want...)...)
			})
		})
	}
}

func TestTrustedNetworks(t *testing.T) {
	trusted := TrustedNetworks(netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fd00::/8"))
	for from, want := range map[string]bool{
		"192.168.3.4:5": true, "[::ffff:192.168.3.4]:5": true, "[fd00::1]:5": true, "192.169.3.4:5": false,
		"[fe80::1%eth0]:5": false,
		"":                 false, "@": false, "192.168.3.4": false,
	} {
		r := &http.Request{RemoteAddr: from, Header: http.Header{"X-Forwarded-For": {"192.168.3.4"}}}
		if trusted(r) != want {
			t.Errorf("%s is trusted: %v", from, !want)
		}
	}
}

// A handler that panics releases its slot, and a Limiter before a Transport passes on the start.
func TestLimitPanicsAndPassesOnStart(t *testing.T) {
	start := time.Now().Add(-5 * time.Second).Truncate(time.Millisecond)
	l := Limit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got, ok := StartOf(r.Context()); !ok || got.Sub(start).Abs() > time.Millisecond {
			t.Errorf("started %v, want %v", got, start)
		}
		panic(http.ErrAbortHandler)
	}), Capacity(1), PoolLimit(0), TrustStart(func(*http.Request) bool { return true }, time.Minute))
	for range 3 {
		func() {
			defer func() {
				if recover() != http.ErrAbortHandler {
					t.Error("where is the panic?")
				}
			}()
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set(StartHeader, FormatStart(start))
			l.ServeHTTP(httptest.NewRecorder(), r)
		}()
	}
	if s := l.Stats(); s.Broken != 3 || s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

// On a real server: twice as many clients as there is room for, some of which go away, and one of
// which sends its request a byte at a time. At most c handlers run, and every request is counted.
func TestLimitServerConcurrently(t *testing.T) {
	const c, room, clients, requests = 3, 5, 16, 30
	b := &testServer{}
	l := Limit(b.counting(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		time.Sleep(time.Millisecond)
	}), Capacity(c), PoolLimit(room))
	b.Server = httptest.NewServer(l)
	defer b.Close()
	// A client that goes away as its response ends closes a connection that another request may just
	// have taken from the pool. So the hasty ones keep no connections.
	hasty := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var all sync.WaitGroup
	var outcomes tally
	slow, err := net.Dial("tcp", b.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	io.WriteString(slow, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n") // it has a slot, and reads slowly
	eventually(t, "it has a slot", func() bool { return b.now.Load() == 1 })
	for k := range clients {
		all.Go(func() {
			for i := range requests {
				ctx, cancel := context.WithCancel(t.Context())
				client := b.Client()
				if (k+i)%5 == 0 {
					time.AfterFunc(time.Millisecond, cancel)
					client = hasty
				}
				req, _ := http.NewRequestWithContext(ctx, "GET", b.URL, nil)
				res, err := client.Do(req)
				switch {
				case err != nil && ctx.Err() != nil:
					outcomes.add("away")
				case err != nil:
					t.Error(err)
				default:
					outcomes.add(strconv.Itoa(res.StatusCode))
					if after, err := strconv.Atoi(res.Header.Get("Retry-After")); res.StatusCode == 429 &&
						(err != nil || after < 1 || after > 60) {
						t.Error("Retry-After", after, err)
					}
					res.Body.Close()
				}
				cancel()
				if i%10 == 0 {
					fmt.Fprint(slow, "x")
				}
			}
		})
	}
	all.Wait()
	slow.Close()
	eventually(t, "all have left", func() bool { s := l.Stats(); return s.Waiting+s.InFlight == 0 })
	s := l.Stats()
	if b.most.Load() != c || s.Completed != uint64(b.served.Load()) {
		t.Errorf("%d at once, %d served, %+v", b.most.Load(), b.served.Load(), s.Counts)
	}
	// A client that went away does not know its outcome; it may have gone before the request
	// arrived.
	ok, refused, away := outcomes.of("200"), outcomes.of("429"), outcomes.of("away")
	if int(s.Full) < refused || int(s.Completed) < ok || ok+refused+away != clients*requests ||
		int(s.Requests) > clients*requests+1 || refused == 0 || ok == 0 {
		t.Errorf("%v, and %+v", outcomes.n, s.Counts)
	}
	if err := l.scheduler.verify(); err != nil {
		t.Error(err)
	}
}
