package relaxed

import (
	"strings"
	"testing"
)

// perProcess sets the number of subqueues of a shard, 1 to maxPer.
func perProcess(k int) Option { return func(o *options) { o.per = k } }

// sticky sets the lag: after how many events of another shard a goroutine leaves its own.
func sticky(n int) Option { return func(o *options) { o.lag = n } }

// An option that cannot be panics and says why.
func TestOptionsThatCannotBe(t *testing.T) {
	for want, f := range map[string]func(){
		"relaxed: Concurrency needs a number from 1 to 65,536": func() { Concurrency(1<<16 + 1) },
		"relaxed: Capacity needs a number of events, not":      func() { Capacity(-1) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

func TestOptions(t *testing.T) {
	c := New[int](Concurrency(3), Seed(4), Capacity(100))
	if len(c.shards) != 3 || c.capacity != 17 {
		t.Errorf("%d shards, capacity %d", len(c.shards), c.capacity)
	}
}

// A handle of another queue is refused, though the same event would have it there.
func TestHandlesOfOthers(t *testing.T) {
	a, b := New[int](), New[int]()
	var handles []Handle
	for i := range 10 {
		for _, q := range []*Queue[int]{a, b} {
			h, _ := q.Schedule(float64(i), i)
			handles = append(handles, h)
		}
	}
	cancel := []func(Handle) bool{a.Cancel, b.Cancel}
	for i, h := range handles {
		if cancel[1-i%2](h) {
			t.Errorf("handle %d of queue %d cancelled something of the other", i, i%2)
		}
	}
	for i, h := range handles {
		if own := cancel[i%2]; !own(h) || own(h) {
			t.Errorf("handle %d cancelled nothing, or something twice", i)
		}
	}
}
