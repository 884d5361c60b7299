package rivals

import "container/heap"

// Channels is a simulation kernel of the kind that is usual in Go: every process is a goroutine,
// and it and the kernel hand over to one another through channels; events lie in a binary heap of
// the standard library. It has what the workloads of the benchmark need, and nothing else.
type Channels struct {
	now     float64
	order   uint64
	pending moments
	live    map[*ChannelProcess]struct{}
}

// A moment is an event of Channels.
type moment struct {
	at    float64
	order uint64
	do    func()
}

type moments []moment

func (m moments) Len() int      { return len(m) }
func (m moments) Swap(i, k int) { m[i], m[k] = m[k], m[i] }
func (m moments) Less(i, k int) bool {
	return m[i].at < m[k].at || m[i].at == m[k].at && m[i].order < m[k].order
}
func (m *moments) Push(x any) { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	old := *m
	last := old[len(old)-1]
	old[len(old)-1] = moment{}
	*m = old[:len(old)-1]
	return last
}

// NewChannels returns a kernel at time 0.
func NewChannels() *Channels { return &Channels{live: make(map[*ChannelProcess]struct{})} }

// Now is the time.
func (c *Channels) Now() float64 { return c.now }

// After does something some time later.
func (c *Channels) After(d float64, f func()) {
	c.order++
	heap.Push(&c.pending, moment{c.now + d, c.order, f})
}

// Step does what comes next, and reports whether there was anything.
func (c *Channels) Step() bool {
	if len(c.pending) == 0 {
		return false
	}
	m := heap.Pop(&c.pending).(moment)
	c.now = m.at
	m.do()
	return true
}

// A ChannelProcess is a process of Channels.
type ChannelProcess struct {
	kernel *Channels
	resume chan bool     // from the kernel: whether to go on
	yield  chan struct{} // to the kernel
}

// stopped is what a process panics with that is not to go on.
type stopped struct{}

// Go starts a process, as an event of its own.
func (c *Channels) Go(body func(p *ChannelProcess)) {
	p := &ChannelProcess{c, make(chan bool), make(chan struct{})}
	c.live[p] = struct{}{}
	go func() {
		defer func() {
			if r := recover(); r != nil && r != any(stopped{}) {
				panic(r)
			}
			p.yield <- struct{}{}
		}()
		p.await()
		body(p)
		delete(c.live, p)
	}()
	c.After(0, p.run)
}

// run lets the process run until it waits or ends.
func (p *ChannelProcess) run() {
	p.resume <- true
	<-p.yield
}

func (p *ChannelProcess) await() {
	if !<-p.resume {
		panic(stopped{})
	}
}

// pass hands over to the kernel, until the process is run again.
func (p *ChannelProcess) pass() {
	p.yield <- struct{}{}
	p.await()
}

// Wait lets time pass.
func (p *ChannelProcess) Wait(d float64) {
	p.kernel.After(d, p.run)
	p.pass()
}

// Close ends all processes.
func (c *Channels) Close() {
	for p := range c.live {
		p.resume <- false
		<-p.yield
	}
	clear(c.live)
	c.pending = nil
}

// A ChannelServer serves one process of Channels at a time, in the order in which they come.
type ChannelServer struct {
	busy    bool
	waiting []*ChannelProcess
}

// Use waits for the server, and has it while f runs.
func (s *ChannelServer) Use(p *ChannelProcess, f func()) {
	if s.busy {
		s.waiting = append(s.waiting, p)
		p.pass()
	}
	s.busy = true
	f()
	if len(s.waiting) == 0 {
		s.busy = false
		return
	}
	next := s.waiting[0]
	s.waiting = s.waiting[1:]
	p.kernel.After(0, next.run)
}
