package eventqueue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/panics"
)

// ScheduleAll schedules the events of n ids, from first on, whose times several goroutines compute.
func (q *Queue) ScheduleAll(ctx context.Context, first ID, n, workers int, due func(worker int, first ID,
	at []float64) error) error {
	if n < 0 || uint64(first)+uint64(n) > math.MaxUint32+1 {
		panic("calendar: ScheduleAll needs ids up to 2³²−1")
	}
	q.settle()
	b := &bulk{q: q, first: uint64(first), end: uint64(first) + uint64(n), due: due}
	return b.placeAll(ctx, workersFor(workers, b.blocks()), q.Len() == 0)
}

// maxWorkers bounds the number of workers, and with it their memory.
const maxWorkers = 1024

// workersFor returns the number of workers that share the blocks, given the requested number.
func workersFor(wanted, blocks int) int {
	if wanted <= 0 {
		wanted = runtime.GOMAXPROCS(0)
	}
	return min(wanted, max(blocks, 1), maxWorkers)
}

// A bulk is many events that are being scheduled.
type bulk struct {
	q          *Queue
	first, end uint64 // the ids, one of which may be 2³²
	due        func(worker int, first ID, at []float64) error
	failed     failure
}

// A block is the ids of one page, as far as they are to be scheduled. blocks is how many there are.
func (b *bulk) blocks() int {
	if b.first == b.end {
		return 0
	}
	return int((b.end-1)>>pageBits-b.first>>pageBits) + 1
}

// block returns the ids of block i, of which there is at least one.
func (b *bulk) block(i int) (from, to uint64) {
	page := b.first>>pageBits + uint64(i)
	return max(page<<pageBits, b.first), min((page+1)<<pageBits, b.end)
}

// abandon restores a queue that was empty, whatever has been done so far.
func (b *bulk) abandon() {
	q := b.q
	for i := range b.blocks() {
		from, _ := b.block(i)
		if p := int(from >> pageBits); p < len(q.pages) {
			q.ids -= len(q.pages[p])
			q.pages[p] = nil
			q.dropBits(p)
		}
	}
	q.discard()
	q.pending = 0
}

// A failure is the first id, in their order, at which something went wrong.
type failure struct {
	mutex sync.Mutex
	block atomic.Int64 // one more than the block it is in, so that others need not go on beyond; 0 if there is none
	at    uint64
	err   error
	panic *panics.Error
}

// note records a failure at an id of block i, unless there is one before it.
func (f *failure) note(i int, at uint64, err error, panicked *panics.Error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.none() || at < f.at {
		f.block.Store(int64(i + 1))
		f.at, f.err, f.panic = at, err, panicked
	}
}

func (f *failure) none() bool { return f.block.Load() == 0 }

// before reports whether there is a failure in a block before block i.
func (f *failure) before(i int) bool {
	b := f.block.Load()
	return b > 0 && i >= int(b)
}

// result returns the result of ScheduleAll, or panics with the panic of due.
func (f *failure) result() error {
	if f.panic != nil {
		panic(f.panic)
	}
	return f.err
}

// ask has due compute the times of block i, and reports false if it fails.
func (b *bulk) ask(worker, i int, times []float64) (at []float64, ok bool) {
	from, to := b.block(i)
	at = times[:to-from]
	for j := range at {
		at[j] = math.Inf(1)
	}
	err := errGone
	defer func() { // also if due panics, or ends its goroutine
		if p := recover(); p != nil {
			b.failed.note(i, from, nil, panics.New("calendar: ScheduleAll: due panicked", p, debug.Stack(), true))
			ok = false
		} else if err != nil {
			b.failed.note(i, from, err, nil)
			ok = false
		}
	}()
	err = b.due(worker, ID(from), at)
	return at, true
}

var errGone = errors.New("calendar: ScheduleAll: due did not return")

// refusal is the error for an id that is refused.
func refusal(id uint64, at float64, err error) error {
	return fmt.Errorf("calendar: ScheduleAll: id %d at %v: %w", id, at, err)
}

// placeAll schedules one event after the other. While the workers compute the times of some blocks,
// the events of the blocks before them are placed.
func (b *bulk) placeAll(ctx context.Context, workers int, wasEmpty bool) error {
	var times [2][][]float64 // of the blocks that are asked for and of those before them, by turns
	for i := range times {
		times[i] = make([][]float64, workers)
		for w := range times[i] {
			times[i][w] = make([]float64, min(pageLen, b.end-b.first))
		}
	}
	var told [][]float64 // from block start−len(told) on
	for start, blocks := 0, b.blocks(); ; {
		if err := ctx.Err(); err != nil && b.failed.panic == nil {
			if wasEmpty {
				b.abandon()
			}
			return err
		}
		asks := min(workers, blocks-start)
		if !b.failed.none() {
			asks = 0
		}
		if asks+len(told) == 0 {
			return b.failed.result()
		}
		asked := make([][]float64, asks)
		together(asks+1, func(w int) {
			if w < asks {
				if ctx.Err() == nil { // if not, nothing that is asked for now is placed
					asked[w], _ = b.ask(w, start+w, times[0][w])
				}
				return
			}
			for i, at := range told {
				if block := start - len(told) + i; !b.failed.before(block + 1) { // neither it nor one before it has failed
					b.placeBlock(block, at)
				}
			}
		})
		start, told = start+asks, asked
		times[0], times[1] = times[1], times[0]
	}
}

// placeBlock schedules block i.
func (b *bulk) placeBlock(i int, at []float64) {
	from, _ := b.block(i)
	for j, t := range at {
		if math.IsInf(t, 1) {
			continue
		}
		if err := b.q.Schedule(ID(from)+ID(j), t); err != nil {
			b.failed.note(i, from+uint64(j), refusal(from+uint64(j), t, err), nil)
			return
		}
	}
}

// together calls do for each worker, all at once and each in a goroutine of its own: if due ends
// its goroutine, the caller must still finish what was begun.
func together(workers int, do func(worker int)) {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { do(w) })
	}
	all.Wait()
}
