package calendartest

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/timekey"
)

const (
	// MaxReplayID bounds the ids that [Replay] uses, so that a fuzz target can make its sets small.
	MaxReplayID = 1 << 12

	maxReplay = 1 << 12 // operations from one input, so that repetitions do not make it slow
)

// Replay decodes bytes into operations, for fuzzing. It applies them to each of the sets in turn
// and to a [Reference] in lock-step, and returns an error at the first difference. The sets must be
// new, with any start, and take ids below [MaxReplayID]. A set with a method Check() error is
// checked after each operation or run of alike ones.
//
// Any bytes mean something. The decoding favours what breaks event sets: few ids that meet again
// and again, times that coincide or are neighbours, scales far apart, refused times, and runs of
// operations that fill and empty buckets.
//
// Fuzz with -fuzzminimizetime=10x: by default nearly all of the time goes into making inputs
// shorter.
func Replay(data []byte, sets ...Set) error {
	for i, set := range sets {
		var first error
		p := &player{tape: data}
		p.shadow = newShadow(set, 1, func(err error) {
			if first == nil {
				first = err
			}
		})
		p.last = p.Now()
		for len(p.tape) > 0 && p.ops < maxReplay && first == nil {
			p.step()
		}
		if first == nil {
			p.atOnce(func() { p.drain(-1) })
		}
		if first != nil {
			return fmt.Errorf("set %d (%T): %w", i, set, first)
		}
	}
	return nil
}

type player struct {
	*shadow
	tape []byte
	last float64 // the last time that was decoded for a far event: to tie with
}

// byte reads one byte, zero once the tape has ended.
func (p *player) byte() int {
	if len(p.tape) == 0 {
		return 0
	}
	b := p.tape[0]
	p.tape = p.tape[1:]
	return int(b)
}

// step decodes and applies one operation, or one run of them.
func (p *player) step() {
	op := p.byte()
	switch op % 16 {
	case 0, 1, 2, 3:
		_ = p.Schedule(p.id(), p.time())
	case 4, 5:
		_ = p.Reschedule(p.id(), p.time())
	case 6:
		p.Cancel(p.id())
	case 7:
		_ = p.Renumber(p.id(), p.id())
	case 8, 9:
		p.take(op < 32)
	case 10:
		p.Peek()
	case 11: // hold
		if id, ok := p.take(false); ok {
			_ = p.Schedule(id, p.time())
		}
	case 12: // a run of new events, at one time or spread out
		first, n, at, gap := p.id(), p.byte(), p.time(), p.gap()
		p.run(first, n, func(id calendar.ID, i int) { _ = p.Schedule(id, at+float64(i)*gap) })
	case 13: // a run of moves; backwards, so that each goes before the one moved last
		first, n, at, gap := p.id(), p.byte(), p.time(), p.gap()
		p.run(first, n, func(id calendar.ID, i int) { _ = p.Reschedule(id, at+float64(n-i)*gap) })
	case 14:
		first, n := p.id(), p.byte()
		p.run(first, 4*n, func(id calendar.ID, _ int) { p.Cancel(id) })
	case 15:
		n := p.byte()
		p.atOnce(func() {
			for range n {
				p.take(false)
			}
		})
	}
}

// take dispatches the earliest event, or cancels it if it is far away and that is not wanted: once
// the clock has gone to the end of time there is nothing left to find.
func (p *player) take(far bool) (calendar.ID, bool) {
	const horizon = 1e6
	id, at, ok := p.ref.Peek()
	if ok && !far && at-p.Now() > horizon {
		p.Cancel(id)
		return id, ok
	}
	id, _, ok = p.Next()
	return id, ok
}

// run applies an operation to n ids in sequence.
func (p *player) run(first calendar.ID, n int, apply func(id calendar.ID, i int)) {
	p.atOnce(func() {
		for i := range n {
			apply((first+calendar.ID(i))%MaxReplayID, i)
		}
	})
}

// atOnce makes the set's own check, which may look at every event, wait until the end of a run.
func (p *player) atOnce(run func()) {
	check := p.check
	p.check = nil
	run()
	p.check = check
	p.consistent()
}

// id decodes an id: one of sixteen in most cases, or any.
func (p *player) id() calendar.ID {
	b := p.byte()
	if b < 208 {
		return calendar.ID(b % 16)
	}
	return calendar.ID((b<<8 | p.byte()) % MaxReplayID)
}

// gap decodes the distance of the events of a run.
func (p *player) gap() float64 {
	switch b := p.byte(); b % 4 {
	case 0:
		return 0
	case 1:
		return float64(b) / 64
	case 2:
		return 0.1
	default:
		return math.Pow(10, float64(b/4-32))
	}
}

// time decodes a time.
func (p *player) time() float64 {
	now, mode, k := p.Now(), p.byte()%16, p.byte()
	up := math.Inf(1)
	switch mode {
	case 0, 1, 2: // a coarse grid
		return now + float64(k%32)/4
	case 3:
		return now
	case 4: // a few units in the last place after now
		return timekey.Time(timekey.Of(now) + uint64(k))
	case 5: // on, before and after the last far time
		return [...]float64{p.last, math.Nextafter(p.last, up), math.Nextafter(p.last, -up)}[k%3]
	case 6:
		p.last = now + float64(k)*1000
		return p.last
	case 7:
		return now + float64(k)*0x1p-40
	case 8:
		p.last = now + math.Pow(10, float64(k%64-32))
		return p.last
	case 9: // any distance, as bits go
		p.last = timekey.Time(min(timekey.Of(now)+uint64(k)<<(p.byte()%55), timekey.Last))
		return p.last
	case 10: // edges of tenths
		return (math.Round(now*10) + float64(k%64)) * 0.1
	case 11:
		return (math.Round(now*3) + float64(k%64)) / 3
	case 12: // no time at all
		return [...]float64{math.NaN(), up, -up}[k%3]
	case 13: // the past
		return [...]float64{math.Nextafter(now, -up), now - 1 - float64(k), now - math.Abs(now)}[k%3]
	case 14:
		return [...]float64{
			0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1e-300, 1e300,
			math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, 1 << 53, -1, -0.1,
		}[k%12]
	default: // absolute, so that a set that starts before zero crosses it
		return float64(k-128) / 8
	}
}
