package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Compare measures the proxies of a plan.
func Compare(ctx context.Context, plan Plan) (*Report, error) {
	dir, err := os.MkdirTemp("", "almanac-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &comparison{Plan: plan, dir: dir, report: &Report{
		Backends: plan.Backends, Service: plan.Service, Turn: plan.Turn, Turns: plan.Turns, Connections: plan.Connections,
	}}
	b.find()
	if len(b.proxies) == 0 {
		return nil, fmt.Errorf("no proxy is left to measure: %s", strings.Join(b.report.Missing, "; "))
	}
	b.of = plan.Turns * (len(Scenes())*len(b.open()) + len(b.costed()))
	if err := b.throughput(ctx); err != nil {
		return nil, err
	}
	for i, scene := range Scenes() {
		if err := b.latency(ctx, uint64(i), scene); err != nil {
			return nil, err
		}
	}
	return b.report, nil
}

type comparison struct {
	Plan
	dir      string
	proxies  []Proxy // that are there
	report   *Report
	done, of int
}

// find keeps the proxies that are installed, and says which are not.
func (b *comparison) find() {
	for _, p := range b.Proxies {
		if _, err := p.program(); err != nil {
			if what := err.Error(); !slices.Contains(b.report.Missing, what) {
				b.report.Missing = append(b.report.Missing, what)
			}
			continue
		}
		b.proxies = append(b.proxies, p)
		if v := p.version(); v != "" && !slices.Contains(b.report.Versions, v) {
			b.report.Versions = append(b.report.Versions, v)
		}
	}
}

// costed are the proxies of the closed loop: those that differ in more than a capacity, once each.
func (b *comparison) costed() (all []Proxy) {
	seen := map[string]bool{}
	for _, p := range b.proxies {
		if p.capacity > 0 {
			p.Name = strings.TrimSuffix(p.Name, fmt.Sprintf("-%d", p.capacity))
			p.capacity = manyAtOnce
		}
		if !seen[p.Name] {
			seen[p.Name] = true
			all = append(all, p)
		}
	}
	return all
}

// open are the proxies of the open loop. Random choice without a limit is not among them: a slow backend would be sent more than it can do, and every turn would
// end long after its last request.
func (b *comparison) open() []Proxy {
	return slices.DeleteFunc(slices.Clone(b.proxies), func(p Proxy) bool { return p.costOnly })
}

// A stage is processes that are there together.
type stage struct {
	processes []*process
	proxies   []*process
}

func (s *stage) stop() {
	for _, p := range append(s.proxies, s.processes...) {
		p.stop()
	}
}

// set starts backends, one for each list of arguments, and then proxies.
func (b *comparison) set(ctx context.Context, name string, proxies []Proxy, backends [][]string) (s *stage, err error) {
	s = &stage{}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	var addresses []string
	for i, args := range backends {
		address, err := freeAddress()
		if err != nil {
			return s, err
		}
		args = append([]string{"bench", "dispatch", "backend", "--listen", address}, args...)
		p, err := start(ctx, fmt.Sprintf("backend %d", i), address, oneCore, b.Program, args...)
		if err != nil {
			return s, err
		}
		s.processes = append(s.processes, p)
		addresses = append(addresses, address)
	}
	for _, p := range proxies {
		address, err := freeAddress()
		if err != nil {
			return s, err
		}
		dir := filepath.Join(b.dir, name, p.Name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return s, err
		}
		running, err := p.start(ctx, starting{name: p.Name, capacity: p.capacity, address: address, backends: addresses, program: b.Program, dir: dir})
		if err != nil {
			return s, err
		}
		s.proxies = append(s.proxies, running)
	}
	return s, nil
}

func (b *comparison) step(what string) {
	if b.Progress != nil {
		b.Progress(b.done, b.of, what)
	}
	b.done++
}

// throughput is the closed loop.
func (b *comparison) throughput(ctx context.Context) error {
	proxies := b.costed()
	s, err := b.set(ctx, "closed", proxies, [][]string{{"--plain"}, {"--plain"}})
	if err != nil {
		return err
	}
	defer s.stop()
	results := make([]Throughput, len(proxies))
	for turn := range b.Turns {
		for i := range proxies {
			// Everybody is first as often as the others.
			i := (i + turn) % len(proxies)
			p, r := s.proxies[i], &results[i]
			b.step(p.name + ", small requests")
			if _, err := closed(ctx, p.address, b.Connections, b.Turn/10); err != nil { // connections to backends, and memory
				return fmt.Errorf("%s: %w", p.name, err)
			}
			before, err := p.processor()
			if err != nil {
				return err
			}
			began := time.Now()
			answers, err := closed(ctx, p.address, b.Connections, b.Turn/2)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			seconds := time.Since(began).Seconds()
			after, err := p.processor()
			if err != nil {
				return err
			}
			r.Proxy = p.name
			r.Requests += answers
			r.Seconds += seconds
			r.Processor += after - before
			r.Turns = append(r.Turns, perSecond(answers, after-before))
		}
	}
	for i := range results {
		r := &results[i]
		r.PerSecond, r.PerCore = perSecond(r.Requests, r.Seconds), median(r.Turns)
		if r.Memory, err = s.proxies[i].memory(); err != nil {
			return err
		}
	}
	b.report.Throughputs = results
	return nil
}

// perSecond is a rate; of a time that is too short to be told it is 0.
func perSecond(n int, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// latency is the open loop.
func (b *comparison) latency(ctx context.Context, number uint64, scene Scene) error {
	proxies := b.open()
	if len(proxies) == 0 {
		return nil
	}
	var backends [][]string
	capacity := 0.0
	for i := range b.Backends {
		times := 1
		if i < scene.Slow {
			times = slowTimes
		}
		capacity += 1 / float64(times) / b.Service.Seconds()
		backends = append(backends, []string{"--workers", "1", "--times", fmt.Sprint(times)})
	}
	s, err := b.set(ctx, fmt.Sprintf("open-%d", number), proxies, backends)
	if err != nil {
		return err
	}
	defer s.stop()
	n := len(proxies)
	results := make([]Latency, n)
	for turn := range b.Turns {
		requests := newSchedule(b.Seed, number<<32+uint64(turn), scene.Load*capacity, b.Service, b.Turn)
		if len(requests.due) == 0 {
			return errors.New("live: no request comes in a turn that short")
		}
		for i := range n {
			i := (i + turn) % n
			p, r := s.proxies[i], &results[i]
			b.step(fmt.Sprintf("%s, %s, load %v", p.name, scene.Name, scene.Load))
			t, failed, err := b.turn(ctx, requests, p)
			if err != nil {
				return err
			}
			r.Turns = append(r.Turns, t)
			r.Failed += failed
			r.Requests += len(requests.due)
		}
	}
	for i := range results {
		r := &results[i]
		r.Scene, r.Proxy = scene, proxies[i].Name
		if r.Memory, err = s.proxies[i].memory(); err != nil {
			return err
		}
		middle := func(of func(Turn) float64) float64 {
			var all []float64
			for _, t := range r.Turns {
				all = append(all, of(t))
			}
			return median(all)
		}
		r.P50 = middle(func(t Turn) float64 { return t.P50 })
		r.P99 = middle(func(t Turn) float64 { return t.P99 })
		r.P999 = middle(func(t Turn) float64 { return t.P999 })
		r.Lag = middle(func(t Turn) float64 { return t.Lag })
	}
	b.report.Latencies = append(b.report.Latencies, results...)
	return nil
}

// turn sends the requests of one turn, and does so again if they could not be sent in time.
func (b *comparison) turn(ctx context.Context, requests schedule, p *process) (t Turn, failed int, err error) {
	for again := 0; ; again++ {
		took, late, failed, err := requests.open(ctx, p.address)
		if err != nil {
			return t, 0, err
		}
		lag := quantile(late, 0.99)
		if lag <= b.Service.Seconds()*1e3/2 || again == mostAgain {
			return Turn{P50: quantile(took, 0.5), P99: quantile(took, 0.99), P999: quantile(took, 0.999), Lag: lag, Again: again}, failed, nil
		}
	}
}
