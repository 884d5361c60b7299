package relaxed

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/interleave"
)

// A diaryEntry is an event of a reference: a slice in order of time, and of equal times in the
// order of scheduling.
type diaryEntry struct {
	at    float64
	value int
	event Handle
}

type diary []diaryEntry

func (d *diary) add(e diaryEntry) {
	i, _ := slices.BinarySearchFunc(*d, e.at, func(x diaryEntry, at float64) int {
		if x.at <= at {
			return -1
		}
		return 1
	})
	*d = slices.Insert(*d, i, e)
}

func (d *diary) remove(i int) diaryEntry {
	e := (*d)[i]
	*d = slices.Delete(*d, i, i+1)
	return e
}

// A process is what the calling goroutine is to a queue: tests take the parts of several by
// turns.
type process struct{ at, until uint64 }

// newProcesses makes processes for a queue. It takes all affinities from it but one, which they
// share.
func newProcesses[V any](c *Queue[V]) []process {
	c.affinities = c.affinities[:1]
	all := make([]process, len(c.shards))
	for i := range all {
		all[i].at = atHome(uint32(i))
	}
	return all
}

// as does something as a process of a queue does it.
func as[V any](c *Queue[V], p *process, do func()) {
	affinity := &c.affinities[0]
	affinity.at.Store(p.at)
	affinity.until.Store(p.until)
	do()
	p.until = affinity.until.Load()
	if at := affinity.at.Load(); homeOf(at) == homeOf(p.at) {
		p.at = at
	} else {
		// it rested, and would have gone to the shard of the processor that all processes here share
		p.at = atHome(homeOf(p.at))
	}
}

// followQueue does what the bytes say with a queue for p processes, and with a reference.
// What Next returns must be the earliest event of one shard; with one process that is the earliest
// of all, and with one subqueue the one that was scheduled first.
func followQueue(data []byte, p, per int) error {
	c := New[int](Concurrency(p), perProcess(per), sticky(3))
	processes := newProcesses(c)
	var d diary
	var gone []Handle
	now := 0.0
	shard := func(e Handle) int { return int(e.queue) / per }
	for i := 0; i+2 < len(data); i += 3 {
		op, pick, far := data[i], int(data[i+1]), data[i+2]
		who := &processes[int(op>>4)%p]
		var err error
		switch op % 8 {
		default:
			at := now
			switch pick % 8 {
			case 0, 1, 2:
				at += float64(far) / 16
			case 3:
				at += math.Ldexp(float64(far), pick/8-16)
			case 4:
				at -= float64(far) / 4
			case 5:
				at = hostileTimes[int(far)%len(hostileTimes)]
			case 6:
				at = float64(far % 4)
			}
			if math.IsInf(at, 0) {
				at = 0
			}
			as(c, who, func() {
				var e Handle
				if e, err = c.Schedule(at, i); err == nil {
					d.add(diaryEntry{at, i, e})
				}
			})
		case 3, 4, 5:
			as(c, who, func() {
				v, at, ok := c.Next()
				if ok != (len(d) > 0) {
					err = fmt.Errorf("Next says %v with %d events", ok, len(d))
				}
				if !ok {
					return
				}
				k := slices.IndexFunc(d, func(e diaryEntry) bool { return e.value == v })
				if k < 0 || d[k].at != at {
					err = fmt.Errorf("Next is %d at %v, which is not there", v, at)
					return
				}
				for _, e := range d[:k] {
					if e.at < at && shard(e.event) == shard(d[k].event) || per == 1 && e.event.queue == d[k].event.queue {
						err = fmt.Errorf("Next is %+v, before %+v", d[k], e)
					}
				}
				now = at
				gone = append(gone, d.remove(k).event)
			})
		case 6:
			if len(d) > 0 {
				e := d.remove(pick * len(d) / 256).event
				gone = append(gone, e)
				if !c.Cancel(e) {
					err = fmt.Errorf("%v could not be cancelled", e)
				}
			}
		case 7:
			if len(gone) > 0 && c.Cancel(gone[pick%len(gone)]) {
				err = fmt.Errorf("%v was cancelled again", gone[pick%len(gone)])
			}
			if at, ok := c.Peek(); ok != (len(d) > 0) || ok && at != d[0].at {
				err = fmt.Errorf("Peek is %v, %v, with %d events", at, ok, len(d))
			}
		}
		if err == nil && c.Len() != len(d) {
			err = fmt.Errorf("Len is %d, want %d", c.Len(), len(d))
		}
		if err == nil && i%16 == 0 {
			err = checkQueue(c)
		}
		if err != nil {
			return fmt.Errorf("operation %d: %w", i/3, err)
		}
	}
	// All that is left comes out, and nothing else.
	for len(d) > 0 {
		v, at, ok := c.Next()
		k := slices.IndexFunc(d, func(e diaryEntry) bool { return e.value == v })
		if !ok || k < 0 || d[k].at != at {
			return fmt.Errorf("in the end Next is %d at %v, %v, with %d events", v, at, ok, len(d))
		}
		d.remove(k)
	}
	if _, _, ok := c.Next(); ok {
		return errors.New("in the end there is an event too many")
	}
	return checkQueue(c)
}

var hostileTimes = []float64{
	0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 1e-300, -1e-300, 1e300,
	-1e300,
	math.MaxFloat64, -math.MaxFloat64, 1, math.Nextafter(1, 2), math.Nextafter(1, 0), -1, 1 << 53, 1<<53 + 2,
}

func FuzzQueue(f *testing.F) {
	if interleave.Enabled {
		f.Skip("it is of one goroutine")
	}
	f.Add([]byte("schedule, cancel, next, and so on"), uint8(3))
	f.Add([]byte("000000000011111111111222222223333333333"), uint8(0))
	// Long enough to roll and to be made anew, for one subqueue and for several.
	for i, far := range []struct {
		pick, mask, odd byte // how far ahead events are, and what every eighth operation beside is
	}{
		{0, 255, 0}, {0, 255, 6}, {0, 255, 7}, {3 + 8*31, 255, 6}, {3, 255, 0},
		{0, 0x30, 6}, {4, 255, 0}, {5, 255, 6}, {6, 255, 0}, {1, 7, 4},
	} {
		f.Add(holds(uint64(i), 100, far.pick, far.mask, far.odd), uint8(0))
		f.Add(holds(uint64(i), 150, far.pick, far.mask, far.odd), uint8(5+i))
	}
	f.Fuzz(func(t *testing.T, data []byte, shape uint8) {
		if err := followQueue(data[:min(len(data), 6000)], 1+int(shape)%4, 1+int(shape)/4%4); err != nil {
			t.Error(err)
		}
	})
}

// holds is what followQueue reads as n events, and a dispatch and a new event by turns for long
// after. Every eighth time there is an odd operation, if it is not 0.
func holds(seed uint64, n int, pick, mask, odd byte) (data []byte) {
	r := rand.New(rand.NewPCG(12, seed))
	for i := 0; len(data) < 6000; i++ {
		who, far := byte(r.Uint32())&0xf0, byte(r.Uint32())&mask
		switch {
		case i >= n && i%8 == 0 && odd != 0:
			// if that took an event, there is one in its place
			data = append(data, who|odd, byte(r.Uint32()), far, who, pick, far)
		case i >= n && i%2 == 0:
			data = append(data, who|3, pick, far)
		default:
			data = append(data, who, pick, far)
		}
	}
	return data
}

func anyFloat(r *rand.Rand) float64 {
	for {
		if x := math.Float64frombits(r.Uint64()); x-x == 0 {
			return x
		}
	}
}

func TestQueueRefuses(t *testing.T) {
	c := New[string](Concurrency(2))
	for _, at := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if e, err := c.Schedule(at, "never"); !errors.Is(err, calendar.ErrTime) || e != (Handle{}) {
			t.Errorf("at %v: %v, %v", at, e, err)
		}
	}
	if c.Len() != 0 {
		t.Error("something was scheduled")
	}
	for name, f := range map[string]func(){
		"no process":         func() { Concurrency(0) },
		"too many processes": func() { New[int](Concurrency(1 << 17)) },
		"negative capacity":  func() { Capacity(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestQueueHandles(t *testing.T) {
	c := New[string](Concurrency(2))
	for _, h := range []Handle{{}, {version: 1}, {owner: c.owner + 1, version: 1}, {owner: c.owner, place: 1 << 30,
		version: 1},
		{owner: c.owner, place: uint32(len(c.open(0).slots)), version: 1}} {
		if c.Cancel(h) {
			t.Errorf("%+v: an event that never was has been cancelled", h)
		}
	}
	old, _ := c.Schedule(1, "old")
	if v, at, ok := c.Next(); v != "old" || at != 1 || !ok {
		t.Errorf("%q at %v, %v", v, at, ok)
	}
	if c.Cancel(old) {
		t.Error("an event was dispatched and cancelled")
	}
	for range 20 { // some of them in the same slot
		young, _ := c.Schedule(2, "young")
		if young == old || young == (Handle{}) || c.Cancel(old) {
			t.Fatal("an old handle is valid again")
		}
		if !c.Cancel(young) || c.Cancel(young) {
			t.Fatal("an event could be cancelled twice, or not at all")
		}
		old = young
	}
	if _, _, ok := c.Next(); ok {
		t.Error("a cancelled event was dispatched")
	}
	mustCheck(t, c)
}

// Stamps never repeat, since a slot that has run out of them is left alone.
func TestQueueRetiresSlots(t *testing.T) {
	c := New[int](Concurrency(1), perProcess(1))
	first, _ := c.Schedule(1, 1)
	c.Next()
	s := c.open(0)
	s.slots[first.place].version = retired - 1
	last, _ := c.Schedule(2, 2)
	if last.version != retired-1 || last.place != first.place {
		t.Fatal("not the slot that was to be used up")
	}
	if v, _, ok := c.Next(); v != 2 || !ok {
		t.Fatal("the event is gone")
	}
	for i := range 5 {
		e, _ := c.Schedule(3, i)
		if e.place == first.place || c.Cancel(last) || c.Cancel(first) {
			t.Fatal("a slot is used beyond its last version")
		}
	}
	mustCheck(t, c)
}

func TestQueueForgetsValues(t *testing.T) {
	c := New[*[1 << 20]byte](Concurrency(1))
	freed := make(chan struct{}, 100)
	var events []Handle
	for i := range 20 {
		big := new([1 << 20]byte)
		runtime.AddCleanup(big, func(freed chan struct{}) { freed <- struct{}{} }, freed)
		e, _ := c.Schedule(float64(i), big)
		events = append(events, e)
	}
	for i := range 10 {
		c.Next()
		c.Cancel(events[i+10])
	}
	mustCheck(t, c)
	for range 20 {
		runtime.GC()
		<-freed
	}
	runtime.KeepAlive(c)
}

func TestQueueRoom(t *testing.T) {
	const n = 10_000
	c := New[int](Concurrency(2), Capacity(2*n))
	before, _ := c.Stats()
	r := rand.New(rand.NewPCG(6, 0))
	for i := range n {
		_, _ = c.Schedule(r.ExpFloat64(), i)
	}
	after, each := c.Stats()
	if len(each) != 2*defaultPer || after.Bytes > before.Bytes+1<<17 {
		t.Errorf("%d bytes, then %d", before.Bytes, after.Bytes)
	}
	sum := 0
	for _, s := range each {
		sum += s.Pending
	}
	if sum != n || after.Pending != n {
		t.Errorf("%d events, %d in all", sum, after.Pending)
	}
	t.Log(after)
}
