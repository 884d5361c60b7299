package proxies

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/internal/quantile"
)

// A Plan is what to measure.
type Plan struct {
	Programs Programs
	Proxies  []string // names
	Backends int
	Service  time.Duration // mean work of a request; a backend works on one at a time
	Loads    []float64     // of all that the backends can do
	Requests int           // of each run
	Seed     uint64
	Turns    int // of the measurement of processor time, with costRequests each
	Progress func(done, of int, what string)
}

// A Result is what clients of a proxy saw, in ms from when a request was due until its response was
// read. Requests are due at random times, the same for every proxy.
type Result struct {
	Servers string  `json:"servers"` // equal, or one-slow: one takes four times as long
	Load    float64 `json:"load"`
	Proxy   string  `json:"proxy"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	P999    float64 `json:"p999_ms"`
	Failed  int     `json:"failed,omitempty"`
}

// A Cost is the processor time of a proxy for a request, in µs, at backends without work: the
// smallest and the median of turns.
type Cost struct {
	Proxy  string  `json:"proxy"`
	Least  float64 `json:"least_us"`
	Median float64 `json:"median_us"`
}

// A Report is all that was measured, and what was not, with the reason.
type Report struct {
	Results []Result `json:"results"`
	Costs   []Cost   `json:"costs,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
}

// costRequests makes a tick of the clock of processor time, 10 ms, half a microsecond of a request.
const costRequests = 20_000

// slowness is how much longer the slow one of the servers takes.
const slowness = 4

// Measure runs every proxy of the plan.
func Measure(ctx context.Context, plan Plan) (r Report, err error) {
	type candidate struct {
		Proxy
		path string
	}
	var found []candidate
	for _, p := range All() {
		if !slices.Contains(plan.Proxies, p.Name) {
			continue
		}
		path, err := plan.Programs.find(ctx, p)
		if err != nil {
			r.Skipped = append(r.Skipped, fmt.Sprintf("%s: %v", p.Name, err))
			continue
		}
		found = append(found, candidate{p, path})
	}
	total, done := 2*len(plan.Loads)*len(found)+plan.Turns, 0
	for _, servers := range []string{"equal", "one-slow"} {
		for _, load := range plan.Loads {
			for _, p := range found {
				plan.Progress(done, total, p.Name)
				done++
				result, err := plan.latency(ctx, p.Proxy, p.path, servers == "one-slow", load)
				if ctx.Err() != nil {
					return r, ctx.Err()
				}
				if err != nil {
					r.Skipped = append(r.Skipped, fmt.Sprintf("%s, %s, λ = %g: %v", p.Name, servers, load, err))
					continue
				}
				result.Servers, result.Load, result.Proxy = servers, load, p.Name
				r.Results = append(r.Results, result)
			}
		}
	}
	times := make([][]float64, len(found))
	for range plan.Turns {
		plan.Progress(done, total, "processor time")
		done++
		for i, p := range found {
			t, err := plan.cost(ctx, p.Proxy, p.path, costRequests)
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			if err != nil {
				r.Skipped = append(r.Skipped, fmt.Sprintf("%s, processor time: %v", p.Name, err))
				continue
			}
			times[i] = append(times[i], t)
		}
	}
	for i, p := range found {
		if slices.Sort(times[i]); len(times[i]) > 0 {
			r.Costs = append(r.Costs, Cost{p.Name, times[i][0], quantile.Of(times[i], 0.5)})
		}
	}
	return r, ctx.Err()
}

// serve starts backends that work on one request at a time, for the time in its header Work, in ns.
func serve(n int, slow bool) (addresses []string, stop func(), err error) {
	var servers []*http.Server
	stop = func() {
		for _, s := range servers {
			s.Close()
		}
	}
	for i := range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			stop()
			return nil, nil, err
		}
		factor := 1
		if slow && i == 0 {
			factor = slowness
		}
		var mu sync.Mutex // it is fair after a millisecond
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if work, _ := strconv.Atoi(r.Header.Get("Work")); work > 0 {
				mu.Lock()
				time.Sleep(time.Duration(work * factor))
				mu.Unlock()
			}
			io.WriteString(w, "ok")
		})}
		go s.Serve(l)
		servers = append(servers, s)
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, stop, nil
}

// latency sends requests at random times, whatever becomes of those before.
func (plan *Plan) latency(ctx context.Context, p Proxy, path string, slow bool, load float64) (r Result, err error) {
	backends, stop, err := serve(plan.Backends, slow)
	if err != nil {
		return r, err
	}
	defer stop()
	proxy, err := p.start(ctx, path, backends)
	if err != nil {
		return r, err
	}
	defer proxy.stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10_000}}
	defer client.CloseIdleConnections()

	speed := float64(plan.Backends)
	if slow {
		speed += 1.0/slowness - 1
	}
	gap := float64(plan.Service) / (speed * load)
	random := rand.New(rand.NewPCG(plan.Seed, 1))
	warm := plan.Requests / 10
	times := make([]float64, plan.Requests)
	var all sync.WaitGroup
	next := time.Now()
	for i := range plan.Requests + warm {
		next = next.Add(time.Duration(random.ExpFloat64() * gap))
		due := next
		work := int(random.ExpFloat64() * float64(plan.Service))
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		time.Sleep(time.Until(due))
		all.Go(func() {
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+proxy.address+"/", nil)
			req.Header.Set("Work", strconv.Itoa(work))
			res, err := client.Do(req)
			if err == nil {
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if res.StatusCode != http.StatusOK {
					err = fmt.Errorf("status %s", res.Status)
				}
			}
			if i >= warm {
				times[i-warm] = time.Since(due).Seconds() * 1e3
				if err != nil {
					times[i-warm] = -1
				}
			}
		})
	}
	all.Wait()
	r.Failed = len(times)
	times = slices.DeleteFunc(times, func(t float64) bool { return t < 0 })
	if r.Failed -= len(times); len(times) == 0 {
		return r, fmt.Errorf("no request succeeded: %s", proxy.output)
	}
	slices.Sort(times)
	r.P50, r.P99, r.P999 = quantile.Of(times, 0.5), quantile.Of(times, 0.99), quantile.Of(times, 0.999)
	return r, nil
}

// cost returns the processor time of a proxy for a request, in µs, with a few clients that send one
// request after the other.
func (plan *Plan) cost(ctx context.Context, p Proxy, path string, requests int) (float64, error) {
	backends, stop, err := serve(plan.Backends, false)
	if err != nil {
		return 0, err
	}
	defer stop()
	proxy, err := p.start(ctx, path, backends)
	if err != nil {
		return 0, err
	}
	defer proxy.stop()
	const clients = 4
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	send := func(each int) error {
		var all sync.WaitGroup
		errs := make([]error, clients)
		for c := range clients {
			all.Go(func() {
				for range each {
					res, err := client.Get("http://" + proxy.address + "/")
					if err != nil {
						errs[c] = err
						return
					}
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	each := requests / clients
	if err := send(each / 10); err != nil {
		return 0, err
	}
	before, err := processorTime(proxy.command.Process.Pid)
	if err != nil {
		return 0, err
	}
	if err := send(each); err != nil {
		return 0, err
	}
	after, err := processorTime(proxy.command.Process.Pid)
	return (after - before).Seconds() * 1e6 / float64(each*clients), err
}

// processorTime returns the time that a process and its children have used, on Linux. Its unit is
// a hundredth of a second.
func processorTime(pid int) (sum time.Duration, err error) {
	pids := []string{strconv.Itoa(pid)}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err == nil {
		pids = append(pids, strings.Fields(string(children))...)
	}
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the name of the program may have blanks
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			return 0, fmt.Errorf("/proc/%s/stat is %q", pid, stat)
		}
		for _, field := range fields[11:13] { // user and system
			ticks, err := strconv.Atoi(field)
			if err != nil {
				return 0, err
			}
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum, nil
}
