package sim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/sim"
)

// A kernel is what random programs run on: the simulation, or the naive reference.
type kernel interface {
	now() float64
	run(until float64)
	close()
	summary() []string

	spawn(d float64, priority int, body func(actor)) int
	after(d float64, f func())
	interrupt(process int, cause string)
	trigger(signal int) bool
	renew(signal int)

	follow(desk int, t *table, rule sim.WorkRule, untilEmpty bool)
	breakDown(desk int, b breakdown)
	setCapacity(desk, n int)
	tryRequest(desk, n int) (grant any, ok bool)
	requestThen(desk, n int, t terms, f func(grant any, result string)) (ticket any)
	release(grant any)
	state(grant any) (held, lost bool)
	tryGet(store int) (int, bool)
	tryPut(store, v int) bool
	tryPour(amount float64) bool
	getThen(store int, t terms, f func(int, string)) (ticket any)
	putThen(store, v int, t terms, f func(string)) (ticket any)
	cancelTicket(ticket any) bool

	// outcome is what has become of a wish, and first the part that happened first.
	outcome(w *wish) (happened bool, item int, grant any)
	first(w *wish) int
}

// An actor is a process of a kernel. Its methods wait.
type actor interface {
	wait(d float64) string
	waitFor(w *wish, limit float64) (result string, happened bool)
	request(desk, n int, t terms) (grant any, result string)
	work(desk, n int, d float64, t terms) string
	workWith(grant any, d float64) string
	get(store int, where func(int) bool, t terms) (int, string)
	put(store, v int, t terms) string
	pour(amount float64, t terms) string
	visit(f func() string) string
}

// A world is what there is from the beginning.
type world struct {
	desks, stores []int // capacities
	signals       int
	hours         *table
}

// A breakdown is one of a desk, every so often until it stops.
type breakdown struct {
	toFailure, repair, stop float64
	units                   int
	rule                    sim.WorkRule
}

// A table is a timetable of shifts, which are sorted.
type table struct{ dated sim.Dated }

func (t *table) at(now float64) int {
	for _, x := range t.dated.Shifts {
		if x.From <= now && now < x.To {
			return x.Units
		}
	}
	return t.dated.Otherwise
}

func (t *table) next(now float64) float64 {
	next := math.Inf(1)
	for _, x := range t.dated.Shifts {
		for _, at := range []float64{x.From, x.To} {
			if at > now && t.at(at) != t.at(now) {
				next = min(next, at)
			}
		}
	}
	return next
}

// terms are the options of a request.
type terms struct {
	rank     int
	preempt  sim.WorkRule // 0 if it was not said
	patience float64
	atMost   int
	until    *wish
}

// A wish is something to wait for: a request, a condition, or something else. The kernel makes it
// once.
type wish struct {
	kind    wishKind
	of      []*wish
	i, n    int
	d       float64
	rank    int
	preempt sim.WorkRule
	where   func(int) bool
	made    any
}

type wishKind int

const (
	anyOf wishKind = iota
	allOf
	signal
	closing
	opening
	ending
	timeout
	unit
	thing
	room
	amount
)

// String is for messages.
func (w *wish) String() string {
	return fmt.Sprintf("%v%v", []string{"any", "all", "signal", "closing", "opening", "end", "timeout", "unit", "thing", "room",
		"amount"}[w.kind], append([]any{w.i, w.n, w.d, w.rank, w.preempt}, fmt.Sprint(w.of)))
}

// A simKernel runs programs on the simulation.
type simKernel struct {
	*sim.Simulation
	desks     []*sim.Resource
	stores    []*sim.Store[int]
	tank      *sim.Container
	gate      *sim.Gate
	signals   []*sim.Signal
	processes []*sim.Process
}

func newSim(w world) kernel {
	k := &simKernel{Simulation: sim.New()}
	for _, n := range w.desks {
		d := sim.NewResource(k.Simulation, "", n)
		d.Keep(sim.EveryChange(10_000))
		d.KeepHoldings(10_000)
		k.desks = append(k.desks, d)
	}
	for _, n := range w.stores {
		k.stores = append(k.stores, sim.NewStore[int](k.Simulation, "", n))
	}
	k.tank = sim.NewContainer(k.Simulation, "", 4, 2)
	for range w.signals {
		k.signals = append(k.signals, k.Signal(""))
	}
	k.gate = sim.NewGate(k.Simulation, "", w.hours.dated)
	return k
}

func (k *simKernel) now() float64 { return k.Now() }

func (k *simKernel) run(until float64) { must(k.Run(context.Background(), until)) }

func (k *simKernel) close() { k.Close() }

func (k *simKernel) spawn(d float64, priority int, body func(actor)) int {
	id := len(k.processes)
	k.processes = append(k.processes, k.GoAfter(d, fmt.Sprint("p", id), func(p *sim.Process) { body(simActor{k, p}) },
		sim.Priority(priority)))
	return id
}

func (k *simKernel) after(d float64, f func()) { k.After(d, f) }

func (k *simKernel) interrupt(process int, cause string) { k.processes[process].Interrupt(cause) }

func (k *simKernel) trigger(i int) bool { return k.signals[i].TryTrigger() }

func (k *simKernel) renew(i int) { k.signals[i] = k.Signal("") }

func (k *simKernel) follow(desk int, t *table, rule sim.WorkRule, untilEmpty bool) {
	opts := []sim.ShiftOption{rule}
	if untilEmpty {
		opts = append(opts, sim.UntilEmpty(k.gate))
	}
	k.desks[desk].Schedule(t.dated, opts...)
}

func (k *simKernel) breakDown(desk int, b breakdown) {
	d := k.desks[desk].Break(sim.BreakdownConfig{ToFailure: sim.Constant(b.toFailure), Repair: sim.Constant(b.repair),
		Units: b.units, Rule: b.rule})
	k.At(b.stop, d.Stop)
}

func (k *simKernel) setCapacity(desk, n int) { k.desks[desk].SetCapacity(n) }

func (k *simKernel) tryRequest(desk, n int) (any, bool) { return k.desks[desk].TryRequest(n) }

// result describes an error as the naive kernel does.
func result(err error) string {
	i, interrupted := errors.AsType[*sim.Interrupted](err)
	lost, preempted := errors.AsType[*sim.Preempted](err)
	cause := ""
	if preempted {
		by := "an event"
		if lost.By != nil {
			by = lost.By.Name()
		} else if lost.Why != "" {
			by = "the desk"
		}
		cause = fmt.Sprintf("held since %g, taken by %s", lost.Since, by)
	}
	switch {
	case err == nil:
		return "ok"
	case err == sim.ErrReneged:
		return "reneged"
	case err == sim.ErrBalked:
		return "balked"
	case err == sim.ErrWithdrawn:
		return "withdrawn"
	case err == sim.ErrClosed:
		return "closed"
	case interrupted:
		by := "an event"
		if i.By != nil {
			by = i.By.Name()
		}
		if !preempted {
			cause = fmt.Sprint(i.Cause)
		}
		return fmt.Sprintf("interrupted by %s at %g, %g left: %s", by, i.At, i.Remaining, cause)
	}
	return cause
}

func (k *simKernel) options(p *sim.Process, t terms, resource bool) (opts []sim.RequestOption) {
	if t.rank != 0 {
		opts = append(opts, sim.Rank(t.rank))
	}
	if t.preempt != 0 && resource {
		opts = append(opts, sim.Preempting(t.preempt))
	}
	if !math.IsInf(t.patience, 1) {
		opts = append(opts, sim.Patience(t.patience))
	}
	if t.atMost < math.MaxInt {
		opts = append(opts, sim.AtMost(t.atMost))
	}
	if t.until != nil {
		opts = append(opts, sim.Until(k.made(p, t.until)))
	}
	return opts
}

func (k *simKernel) requestThen(desk, n int, t terms, f func(any, string)) any {
	return k.desks[desk].RequestThen(n, func(g *sim.Grant, err error) { f(g, result(err)) }, k.options(nil, t, true)...)
}

func (k *simKernel) release(g any) { g.(*sim.Grant).Release() }

func (k *simKernel) state(g any) (held, lost bool) {
	return g.(*sim.Grant).Held(), g.(*sim.Grant).Lost() != nil
}

func (k *simKernel) tryGet(store int) (int, bool) { return k.stores[store].TryGet() }

func (k *simKernel) tryPut(store, v int) bool { return k.stores[store].TryPut(v) }

func (k *simKernel) tryPour(amount float64) bool {
	if amount > 0 {
		return k.tank.TryPut(amount)
	}
	return k.tank.TryGet(-amount)
}

func (k *simKernel) getThen(store int, t terms, f func(int, string)) any {
	return k.stores[store].GetThen(func(v int, err error) { f(v, result(err)) }, k.options(nil, t, false)...)
}

func (k *simKernel) putThen(store, v int, t terms, f func(string)) any {
	return k.stores[store].PutThen(v, func(err error) { f(result(err)) }, k.options(nil, t, false)...)
}

func (k *simKernel) cancelTicket(t any) bool { return t.(sim.Ticket).Cancel() }

// made makes what is waited for out of a wish, once.
func (k *simKernel) made(p *sim.Process, w *wish) sim.Waitable {
	if w.made != nil {
		return w.made.(sim.Waitable)
	}
	rank := []sim.RankOption{sim.Rank(w.rank)}
	var made sim.Waitable
	switch w.kind {
	case anyOf, allOf:
		var of []sim.Waitable
		for _, one := range w.of {
			of = append(of, k.made(p, one))
		}
		if made = sim.AnyOf(of...); w.kind == allOf {
			made = sim.AllOf(of...)
		}
	case signal:
		made = k.signals[w.i]
	case closing:
		made = k.gate.Closing()
	case opening:
		made = k.gate.Opening()
	case ending:
		made = k.processes[w.i%len(k.processes)]
	case timeout:
		made = k.Timeout(w.d)
	case unit:
		if w.preempt != 0 {
			rank = append(rank, sim.Preempting(w.preempt))
		}
		made = k.desks[w.i].NewRequest(p, w.n, rank...)
	case thing:
		made = k.stores[w.i].NewGetWhereRequest(p, w.where, rank...)
	case room:
		made = k.stores[w.i].NewPutRequest(p, w.n, rank...)
	case amount:
		if w.n > 0 {
			made = k.tank.NewPutRequest(p, float64(w.n), rank...)
		} else {
			made = k.tank.NewGetRequest(p, float64(-w.n), rank...)
		}
	}
	w.made = made
	return made
}

func (k *simKernel) outcome(w *wish) (happened bool, item int, grant any) {
	if w.made == nil {
		return false, 0, nil
	}
	happened = w.made.(sim.Waitable).Happened()
	switch a := w.made.(type) {
	case *sim.ItemRequest[int]:
		if happened {
			item, _ = a.Item()
		}
	case *sim.Request:
		if g := a.Grant(); g != nil {
			grant = g
		}
	}
	if w.kind == room && happened {
		item = w.n
	}
	return happened, item, grant
}

func (k *simKernel) first(w *wish) int {
	c, ok := w.made.(*sim.Condition)
	if !ok {
		return -1
	}
	first := c.First()
	return slices.IndexFunc(w.of, func(one *wish) bool { return one.made == any(first) })
}

func (k *simKernel) summary() (all []string) {
	area := func(l *sim.TimeWeighted) float64 {
		if l.Observed() == 0 {
			return 0
		}
		return math.Round(l.Mean()*l.Observed()*1e6) / 1e6
	}
	for _, d := range k.desks {
		all = append(all, fmt.Sprint("desk: ", d.InUse(), d.Capacity(), d.Waiting(), area(d.Usage()), area(d.Queue()),
			d.Waits().N(), d.Waits().Sum(), naiveCounts{d.Balked(), d.Reneged(), d.Withdrawn()}, d.Preempted(), d.Stopped()),
			"kept: "+kept(d))
	}
	for _, s := range k.stores {
		all = append(all, fmt.Sprint("store: ", s.Items(), s.Getting(), s.Putting(), area(s.Contents()),
			naiveCounts{s.Balked(), s.Reneged(), s.Withdrawn()}))
	}
	t, g := k.tank, k.gate
	all = append(all, fmt.Sprint("tank: ", t.Amount(), t.Getting(), t.Putting(), area(t.Contents()),
		naiveCounts{t.Balked(), t.Reneged(), t.Withdrawn()}),
		fmt.Sprint("gate: ", g.Inside().Value(), area(g.Inside()), g.TurnedAway()))
	for _, p := range k.Live() {
		all = append(all, p.Name())
	}
	return all
}

// kept describes what a desk has kept: areas under its levels, by their courses and by the holdings,
// and the sum of the waits.
func kept(d *sim.Resource) string {
	usage, _ := d.Usage().TimeSeries()
	queue, _ := d.Queue().TimeSeries()
	waits, _ := d.Waits().Observations()
	holdings, missed := d.Holdings()
	held, waited := 0.0, 0.0
	for _, h := range holdings {
		held += float64(h.Units) * (h.To - h.From)
	}
	for _, o := range waits.Entries {
		waited += o.Mean * float64(o.N)
	}
	return fmt.Sprint(usage.Integral(usage.Start, usage.End), held, queue.Integral(queue.Start, queue.End), waited, missed)
}

// A simActor is a process of the simulation.
type simActor struct {
	k *simKernel
	*sim.Process
}

func (p simActor) wait(d float64) string { return result(p.Wait(d)) }

func (p simActor) waitFor(w *wish, limit float64) (string, bool) {
	made := p.k.made(p.Process, w)
	if math.IsInf(limit, 1) {
		err := p.WaitFor(made)
		return result(err), err == nil
	}
	happened, err := p.WaitForWithin(made, limit)
	return result(err), happened
}

func (p simActor) request(desk, n int, t terms) (any, string) {
	g, err := p.k.desks[desk].Request(p.Process, n, p.k.options(p.Process, t, true)...)
	return g, result(err)
}

func (p simActor) work(desk, n int, d float64, t terms) string {
	return result(p.k.desks[desk].Work(p.Process, n, d, p.k.options(p.Process, t, true)...))
}

func (p simActor) workWith(g any, d float64) string { return result(g.(*sim.Grant).Work(d)) }

func (p simActor) get(store int, where func(int) bool, t terms) (int, string) {
	v, err := p.k.stores[store].GetWhere(p.Process, where, p.k.options(p.Process, t, false)...)
	return v, result(err)
}

func (p simActor) put(store, v int, t terms) string {
	return result(p.k.stores[store].Put(p.Process, v, p.k.options(p.Process, t, false)...))
}

func (p simActor) pour(amount float64, t terms) string {
	opts := p.k.options(p.Process, t, false)
	if amount > 0 {
		return result(p.k.tank.Put(p.Process, amount, opts...))
	}
	return result(p.k.tank.Get(p.Process, -amount, opts...))
}

func (p simActor) visit(f func() string) (got string) {
	if err := p.k.gate.Visit(p.Process, func() error { got = f(); return nil }); err != nil {
		return result(err)
	}
	return got
}

// A program is what random processes and events do to each other at a few instants. What one of
// them does depends on the seed and on its number.
type program struct {
	kernel
	seed    uint64
	most    []int
	spawned int
	acts    int // events so far
	things  int
	grants  []any // which anybody may release
	tickets []any
	log     []string
	out     map[int]bool // things that came out of a store
}

func (g *program) note(who string, what ...any) {
	g.log = append(g.log, fmt.Sprint(g.now(), " ", who, ": ", fmt.Sprint(what...)))
}

// soon is a short time in halves, often none, so that much falls together.
func soon(r *rand.Rand) float64 { return float64(max(0, r.IntN(9)-3)) / 2 }

func rule(r *rand.Rand) sim.WorkRule {
	return []sim.WorkRule{sim.Finish, sim.Resume, sim.Restart, sim.Interrupt, sim.Resume, sim.Interrupt}[r.IntN(6)]
}

func randomTable(r *rand.Rand, most int) *table {
	var t table
	at := soon(r)
	for range 12 {
		to := at + 0.5 + soon(r)
		t.dated.Shifts = append(t.dated.Shifts, sim.Shift{From: at, To: to, Units: r.IntN(most + 1)})
		at = to + soon(r)
	}
	t.dated.Otherwise = r.IntN(most + 1)
	return &t
}

// play runs a program, and returns what happened.
func play(seed uint64, of func(world) kernel) (g *program) {
	r := rand.New(rand.NewPCG(seed, 0))
	w := world{signals: 3, hours: randomTable(r, 1)}
	g = &program{seed: seed, out: map[int]bool{}}
	for range 3 {
		w.desks = append(w.desks, 1+r.IntN(3))
	}
	crew := r.IntN(4) == 0
	if crew {
		w.desks[0] = 3
	}
	w.stores = []int{r.IntN(3), sim.Unlimited}
	g.most = w.desks
	g.kernel = of(w)
	if crew {
		g.follow(0, randomTable(r, 3), sim.Resume, false)
	} else if r.IntN(2) == 0 {
		g.follow(0, randomTable(r, w.desks[0]), rule(r), r.IntN(3) == 0)
	}
	if r.IntN(3) == 0 {
		g.breakDown(1, breakdown{1 + soon(r), soon(r), 25, r.IntN(2), rule(r)})
	}
	if crew {
		g.crew(3)
	}
	for range 3 + r.IntN(6) {
		g.start(soon(r)*2, r)
	}
	for range 3 + r.IntN(12) {
		g.event(float64(r.IntN(40)) / 2)
	}
	until := 60.0
	if r.IntN(3) == 0 {
		until = float64(r.IntN(24)) / 2
	}
	g.run(until)
	g.log = append(g.log, g.summary()...)
	g.close()
	return g
}

// event schedules something that an event does.
func (g *program) event(d float64) {
	g.acts++
	if g.acts > 200 {
		return
	}
	r := rand.New(rand.NewPCG(g.seed, uint64(1000+g.acts)))
	g.after(d, func() { g.act("event", r) })
}

func (g *program) start(d float64, r *rand.Rand) {
	if g.spawned++; g.spawned > 20 {
		return
	}
	own := rand.New(rand.NewPCG(g.seed, uint64(g.spawned)))
	name := fmt.Sprint("p", g.spawned-1)
	priority := 0
	if r.IntN(5) == 0 {
		priority = r.IntN(3) - 1
	}
	g.spawn(d, priority, func(p actor) {
		defer func() { g.note(name, "ends") }()
		for range 2 + own.IntN(6) {
			g.step(name, p, own, 1)
		}
	})
}

// crew starts some processes that get units of the first desk at one instant, and work with them
// for long, so that the order of their grants matters.
func (g *program) crew(n int) {
	for i := range n {
		r := rand.New(rand.NewPCG(g.seed, uint64(500+i)))
		g.spawned++
		g.spawn(0, 0, func(p actor) {
			grant, result := p.request(0, 1, terms{patience: math.Inf(1), atMost: math.MaxInt})
			if g.note("crew", i, result); result == "ok" {
				g.note("crew", i, p.wait(soon(r)))
				g.note("crew", i, p.workWith(grant, 5+soon(r)*4))
				g.letGo(grant)
			}
		})
	}
}

func (g *program) terms(r *rand.Rand, until bool) terms {
	t := terms{rank: r.IntN(4) - 1, patience: math.Inf(1), atMost: math.MaxInt}
	if r.IntN(2) == 0 {
		t.preempt = rule(r)
	}
	if r.IntN(4) == 0 {
		t.patience = soon(r)
	}
	if r.IntN(8) == 0 {
		t.atMost = r.IntN(3)
	}
	if until && r.IntN(4) == 0 {
		if t.until = g.other(r); r.IntN(3) == 0 {
			t.until = &wish{kind: anyOf, of: []*wish{t.until, g.other(r)}}
		}
	}
	return t
}

// other is something to wait for that is not a request.
func (g *program) other(r *rand.Rand) *wish {
	switch r.IntN(7) {
	case 0, 1, 2:
		return &wish{kind: timeout, d: soon(r)}
	case 3:
		return &wish{kind: ending, i: r.IntN(20)}
	case 4:
		return &wish{kind: closing + wishKind(r.IntN(2))}
	}
	return &wish{kind: signal, i: r.IntN(3)}
}

func (g *program) thing() int {
	g.things++
	return g.things
}

func odd(v int) bool { return v%2 == 1 }

func where(r *rand.Rand) func(int) bool {
	if r.IntN(2) == 0 {
		return odd
	}
	return nil
}

// wish is something to wait for, mostly with requests in it, and sometimes with a part twice.
func (g *program) wish(r *rand.Rand, depth int) *wish {
	if depth > 0 && r.IntN(2) == 0 {
		w := &wish{kind: wishKind(r.IntN(2))}
		for range 1 + r.IntN(3) {
			w.of = append(w.of, g.wish(r, depth-1))
		}
		if r.IntN(4) == 0 {
			w.of = append(w.of, w.of[0])
		}
		return w
	}
	w := &wish{rank: r.IntN(4) - 1}
	switch r.IntN(8) {
	case 0, 1, 2:
		w.kind, w.i = unit, r.IntN(3)
		w.n = 1 + r.IntN(g.most[w.i])
		if r.IntN(2) == 0 {
			w.preempt = rule(r)
		}
	case 3:
		w.kind, w.i, w.where = thing, r.IntN(2), where(r)
	case 4:
		w.kind, w.i, w.n = room, r.IntN(2), g.thing()
	case 5:
		w.kind, w.n = amount, r.IntN(5)-2
	default:
		return g.other(r)
	}
	return w
}

// keep holds a grant for others to release, or releases it later.
func (g *program) keep(grant any, r *rand.Rand) {
	if r.IntN(3) == 0 {
		g.grants = append(g.grants, grant)
		return
	}
	g.after(soon(r), func() { g.letGo(grant) })
}

func (g *program) letGo(grant any) {
	if held, lost := g.state(grant); held || lost {
		g.release(grant)
		g.note("release", held, lost)
	}
}

func (g *program) came(v int, result string) {
	if result == "ok" {
		if g.out[v] {
			g.note("thing", v, " came out twice")
		}
		g.out[v] = true
	}
}

// step is something that a process does and may wait for.
func (g *program) step(name string, p actor, r *rand.Rand, depth int) {
	desk := r.IntN(3)
	n := 1 + r.IntN(g.most[desk])
	switch k := r.IntN(16); {
	case k < 2:
		g.note(name, "wait ", p.wait(soon(r)))
	case k < 4:
		g.act(name, r)
	case k < 6:
		g.note(name, "work ", p.work(desk, n, soon(r)*2, g.terms(r, true)))
	case k < 9:
		g.use(name, p, desk, n, r, depth)
	case k == 9:
		v, result := p.get(r.IntN(2), where(r), g.terms(r, true))
		g.came(v, result)
		g.note(name, "get ", result)
	case k == 10:
		v := g.thing()
		result := p.put(r.IntN(2), v, g.terms(r, true))
		g.note(name, "put ", result)
	case k == 11:
		by := float64(r.IntN(5) - 2)
		result := p.pour(by, g.terms(r, true))
		g.note(name, "pour ", result)
	case k == 12:
		g.note(name, "visit ", p.visit(func() string {
			if depth > 0 {
				g.step(name, p, r, depth-1)
			}
			return p.wait(soon(r))
		}))
	default:
		g.ask(name, p, r)
	}
}

// use requests units, and works with them or not, in any order.
func (g *program) use(name string, p actor, desk, n int, r *rand.Rand, depth int) {
	grant, result := p.request(desk, n, g.terms(r, true))
	g.note(name, "request ", result)
	if result != "ok" {
		return
	}
	for range r.IntN(4) {
		held, lost := g.state(grant)
		switch k := r.IntN(4); {
		case k == 0 && depth > 0:
			g.step(name, p, r, depth-1)
		case k < 2 || !held && !lost:
			g.note(name, "holds ", p.wait(soon(r)))
		default:
			g.note(name, "works ", p.workWith(grant, soon(r)*2))
		}
	}
	if r.IntN(4) == 0 {
		g.keep(grant, r)
	} else {
		g.letGo(grant)
	}
}

// ask waits for several things, perhaps again, and takes what has come of it.
func (g *program) ask(name string, p actor, r *rand.Rand) {
	w := g.wish(r, 2)
	taken := map[*wish]bool{}
	for range 1 + r.IntN(2) {
		limit := math.Inf(1)
		if r.IntN(2) == 0 {
			limit = soon(r)
		}
		g.note(name, "begins to wait for ", w, " within ", limit)
		result, happened := p.waitFor(w, limit)
		g.note(name, "waits for ", result, " ", happened, ", first ", g.first(w))
		g.take(name, w, taken, r)
	}
}

// take takes what was granted, once.
func (g *program) take(name string, w *wish, taken map[*wish]bool, r *rand.Rand) {
	for _, one := range w.of {
		g.take(name, one, taken, r)
	}
	happened, item, grant := g.outcome(w)
	if !happened || taken[w] {
		return
	}
	taken[w] = true
	g.note(name, "has ", w.kind, item)
	switch w.kind {
	case unit:
		g.keep(grant, r)
	case thing:
		g.came(item, "ok")
	}
}

// act does something that does not wait.
func (g *program) act(who string, r *rand.Rand) {
	desk := r.IntN(3)
	switch r.IntN(15) {
	case 0, 1:
		if g.spawned > 0 {
			id := r.IntN(min(20, g.spawned))
			g.note(who, "interrupts ", id)
			g.interrupt(id, who)
		}
	case 2, 3:
		i := r.IntN(3)
		g.note(who, "triggers ", g.trigger(i))
		if r.IntN(2) == 0 {
			g.renew(i)
		}
	case 4, 5:
		n := r.IntN(g.most[desk] + 1)
		g.note(who, "capacity ", n)
		g.setCapacity(desk, n)
		if r.IntN(2) == 0 {
			g.after(soon(r), func() { g.setCapacity(desk, g.most[desk]) })
		}
	case 6:
		grant, ok := g.tryRequest(desk, 1)
		if g.note(who, "tries ", ok); ok {
			g.keep(grant, r)
		}
	case 7:
		g.tickets = append(g.tickets, g.requestThen(desk, 1+r.IntN(g.most[desk]), g.terms(r, true),
			func(grant any, result string) {
				if g.note("then", result); result == "ok" {
					g.keep(grant, r)
				}
			}))
	case 8:
		v := g.thing()
		ok := g.tryPut(r.IntN(2), v)
		g.note(who, "puts ", ok)
	case 9:
		v, ok := g.tryGet(r.IntN(2))
		if g.note(who, "gets ", v, ok); ok {
			g.came(v, "ok")
		}
	case 10:
		by := float64(r.IntN(5) - 2)
		ok := g.tryPour(by)
		g.note(who, "pours ", ok)
	case 11:
		g.tickets = append(g.tickets, g.getThen(r.IntN(2), g.terms(r, true), func(v int, result string) {
			g.came(v, result)
			g.note("then", "got ", result)
			g.act("then", r)
		}))
	case 12:
		v := g.thing()
		g.tickets = append(g.tickets, g.putThen(r.IntN(2), v, g.terms(r, true), func(result string) {
			g.note("then", "put ", result)
		}))
	case 13:
		if len(g.tickets) > 0 {
			g.note(who, "cancels ", g.cancelTicket(g.tickets[r.IntN(len(g.tickets))]))
		}
		g.event(soon(r))
	case 14:
		g.start(soon(r), r)
		if len(g.grants) > 0 {
			i := r.IntN(len(g.grants))
			grant := g.grants[i]
			g.grants = slices.Delete(g.grants, i, i+1)
			g.letGo(grant)
		}
	}
}

// Whatever processes and events do to each other, the same happens in the simulation as in the
// naive kernel, at the same times and in the same order; and levels, queues, counts and what is
// left at the end are the same.
func TestRandomPrograms(t *testing.T) {
	seen := map[string]int{"reneged": 0, "balked": 0, "withdrawn": 0, "interrupted": 0, "taken by p": 0,
		"taken by the desk": 0, "closed": 0, "has 7": 0, "has 8": 0, "has 9": 0, "has 10": 0, "true, first 1": 0}
	seeds := testscale.Size(300, 100_000)
	for seed := range uint64(seeds) {
		if !sameProgram(t, seed, seen) {
			return
		}
	}
	for what, n := range seen {
		if n < seeds/20 {
			t.Errorf("%q in %d of %d programs: this tests little", what, n, seeds)
		}
	}
}

func sameProgram(t *testing.T, seed uint64, seen map[string]int) bool {
	t.Helper()
	got, want := play(seed, newSim), play(seed, newNaive)
	for i := range max(len(got.log), len(want.log)) {
		a, b := "nothing", "nothing"
		if i < len(got.log) {
			a = got.log[i]
		}
		if i < len(want.log) {
			b = want.log[i]
		}
		if a != b {
			t.Errorf("program %d: line %d is\n%s\nand should be\n%s\nafter\n%s", seed, i, a, b,
				strings.Join(got.log[max(0, i-60):i], "\n"))
			return false
		}
	}
	for what := range seen {
		if slices.ContainsFunc(got.log, func(line string) bool { return strings.Contains(line, what) }) {
			seen[what]++
		}
	}
	return true
}
