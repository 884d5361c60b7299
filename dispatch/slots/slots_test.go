package slots

import (
	"cmp"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

type owner struct {
	bin Bin[owner]
}

// Bins are found in the class that they were put into last, and in no other.
func TestBinsAreInTheirClass(t *testing.T) {
	var s Bins[owner]
	r := random.New(1)
	all := make([]owner, 7)
	for i := range all {
		all[i].bin.Of = &all[i]
	}
	want := make([]Class, len(all))
	for range 2000 {
		i, c := r.Below(uint64(len(all))), Class(r.Below(uint64(classes)))
		s.Put(&all[i].bin, c)
		want[i] = c
		found := 0
		for i := range all {
			if !s.Has(&all[i].bin, want[i]) {
				t.Fatalf("bin %d is not in class %d", i, want[i])
			}
			if want[i] != None {
				found++
			}
		}
		if s.Count() != found || len(s.by[None]) > 0 {
			t.Fatalf("%d bins have slots, and %d are said to", found, s.Count())
		}
		best := None
		for _, c := range []Class{Open, Idle} {
			if slices.Contains(want, c) {
				best = c
			}
		}
		switch b := s.Pick(&r, nil); {
		case (b == nil) != (best == None):
			t.Fatalf("picked %v of class %d", b, best)
		case b != nil && b.Class() != best:
			t.Fatalf("picked one of class %d, and there is one of %d", b.Class(), best)
		}
	}
}

// A queue is ordered by age, by sequence number or by arrival, for any insertions and removals.
func TestQueueIsByAge(t *testing.T) {
	for _, byArrival := range []bool{false, true} {
		q := Queue[int]{ByArrival: byArrival, Link: 1}
		r := random.New(2)
		var in []*Item[int]
		for seq := range uint64(3000) {
			if len(in) > 0 && r.Below(20) < uint64(len(in)) {
				i := r.Below(uint64(len(in)))
				q.Remove(in[i])
				in = slices.Delete(in, int(i), int(i)+1)
				continue
			}
			it := &Item[int]{Seq: seq ^ r.Below(8)<<20, Arrival: int64(r.Below(5))}
			var near *Item[int]
			if len(in) > 0 {
				near = []*Item[int]{nil, q.Tail, in[r.Below(uint64(len(in)))]}[r.Below(3)]
			}
			q.Insert(near, it)
			in = append(in, it)
			slices.SortFunc(in, func(a, b *Item[int]) int {
				if byArrival {
					return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Seq, b.Seq))
				}
				return cmp.Compare(a.Seq, b.Seq)
			})
			var got []*Item[int]
			for it := q.Head; it != nil; it = it.Links[1].Next {
				got = append(got, it)
			}
			if !slices.Equal(got, in) || q.Len != len(in) || q.Tail != in[len(in)-1] {
				t.Fatalf("the queue has %d of %d, or they are not by age", len(got), len(in))
			}
		}
	}
}
