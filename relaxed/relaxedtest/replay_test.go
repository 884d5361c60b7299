package relaxedtest_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
	"github.com/almanac-sim/almanac/spray"
)

// The operations of hand-made traces.
func ins(begin, end int64, id uint32, key float64) relaxedtest.Operation {
	return relaxedtest.Operation{Begin: begin, End: end, Key: key, ID: id, Kind: relaxedtest.Insertion}
}

func rem(begin, end int64, id uint32, key float64) relaxedtest.Operation {
	return relaxedtest.Operation{Begin: begin, End: end, Key: key, ID: id, Kind: relaxedtest.Removal}
}

func failed(begin, end int64) relaxedtest.Operation {
	return relaxedtest.Operation{Begin: begin, End: end, Kind: relaxedtest.Failure}
}

type ops = []relaxedtest.Operation

func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name string
		logs []ops
		want relaxedtest.Report
	}{
		{"nothing", nil, relaxedtest.Report{}},
		{
			"in order",
			[]ops{{ins(1, 2, 0, 5), ins(3, 4, 1, 7), rem(5, 6, 0, 5), rem(7, 8, 1, 7), failed(9, 10)}},
			relaxedtest.Report{Insertions: 2, Removals: 2, Failures: 1},
		},
		{
			"the last first",
			[]ops{{ins(1, 2, 0, 5), ins(3, 4, 1, 7), ins(5, 6, 2, 6), rem(7, 8, 1, 7), rem(9, 10, 2, 6), rem(11, 12, 0, 5)}},
			relaxedtest.Report{Insertions: 3, Removals: 3,
				Rank:           relaxedtest.Summary{Mean: 1, P50: 1, P99: 2, Max: 2}, // 2, 1, 0
				MeanRankAtMost: 1,
				Delay:          relaxedtest.Summary{Mean: 1, P50: 1, P99: 2, Max: 2}, // 0, 1, 2
			},
		},
		{
			"one is left, overtaken by both others",
			[]ops{{ins(1, 2, 0, 5), ins(3, 4, 1, 7), ins(5, 6, 2, 6), rem(7, 8, 1, 7), rem(9, 10, 2, 6)}},
			relaxedtest.Report{Insertions: 3, Removals: 2, Left: 1, LeftDelay: 2,
				Rank:           relaxedtest.Summary{Mean: 1.5, P50: 1, P99: 2, Max: 2},
				MeanRankAtMost: 1.5,
				Delay:          relaxedtest.Summary{Mean: 0.5, P50: 0, P99: 1, Max: 1},
			},
		},
		{
			"equal keys: the second before the first",
			[]ops{{ins(1, 2, 0, 5), ins(3, 4, 1, 5), rem(5, 6, 1, 5), rem(7, 8, 0, 5)}},
			relaxedtest.Report{Insertions: 2, Removals: 2,
				Rank:           relaxedtest.Summary{Mean: 0.5, P50: 0, P99: 1, Max: 1},
				MeanRankAtMost: 0.5,
				Delay:          relaxedtest.Summary{Mean: 0.5, P50: 0, P99: 1, Max: 1},
			},
		},
		{
			"equal keys, inserted at once: either may be first",
			[]ops{{ins(1, 4, 0, 5), rem(10, 11, 1, 5), rem(12, 13, 0, 5)}, {ins(2, 3, 1, 5)}},
			relaxedtest.Report{Insertions: 2, Removals: 2},
		},
		{
			"an insertion that may have come too late",
			[]ops{{ins(1, 2, 0, 5), rem(10, 20, 0, 5)}, {ins(12, 14, 1, 4)}},
			relaxedtest.Report{Insertions: 2, Removals: 1, Left: 1, MeanRankAtMost: 1},
		},
		{
			"an insertion that began before, and may have come too late",
			[]ops{{ins(1, 2, 0, 5), rem(10, 20, 0, 5)}, {ins(8, 14, 1, 4)}},
			relaxedtest.Report{Insertions: 2, Removals: 1, Left: 1, MeanRankAtMost: 1},
		},
		{
			"a removal that may have come first",
			[]ops{{ins(1, 2, 0, 5), ins(3, 4, 1, 4), rem(10, 20, 0, 5)}, {rem(19, 30, 1, 4)}},
			relaxedtest.Report{Insertions: 2, Removals: 2, MeanRankAtMost: 0.5},
		},
		{
			"a removal that began first, and may have been late",
			[]ops{{ins(1, 2, 0, 5), ins(3, 4, 1, 4), rem(10, 20, 0, 5)}, {rem(8, 30, 1, 4)}},
			relaxedtest.Report{Insertions: 2, Removals: 2, MeanRankAtMost: 0.5},
		},
		{
			"stamps that are equal leave it open",
			[]ops{{ins(1, 2, 0, 5), rem(10, 20, 0, 5)}, {ins(5, 10, 1, 4)}},
			relaxedtest.Report{Insertions: 2, Removals: 1, Left: 1, MeanRankAtMost: 1},
		},
		{
			"inserted and removed in the course of a removal",
			[]ops{{ins(1, 2, 0, 5), rem(10, 20, 0, 5)}, {ins(12, 13, 1, 4), rem(14, 15, 1, 4)}},
			relaxedtest.Report{Insertions: 2, Removals: 2, MeanRankAtMost: 0.5},
		},
		{
			"found before the insertion returned",
			[]ops{{ins(1, 9, 0, 5)}, {rem(2, 4, 0, 5)}},
			relaxedtest.Report{Insertions: 1, Removals: 1},
		},
		{
			"a failure with an element that was there, and one that may have come too late",
			[]ops{{ins(1, 2, 0, 5), failed(3, 4), rem(7, 8, 0, 5)}, {failed(6, 9), ins(10, 11, 1, 1)}, {failed(10, 12)}},
			relaxedtest.Report{Insertions: 2, Removals: 1, Failures: 3, Missed: 1, Left: 1},
		},
	} {
		got, err := relaxedtest.Replay(&relaxedtest.Trace{Logs: c.logs})
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, want %+v (%v)", c.name, got, c.want, err)
		}
	}
}

// Traces that no queue can have made are refused, and the message says where and why.
func TestReplayRefuses(t *testing.T) {
	first := ins(1, 2, 0, 5)
	for want, trace := range map[string]relaxedtest.Trace{
		"operation 2 of goroutine 0 removes element 0, which was removed before": {
			Logs: []ops{{first, rem(3, 4, 0, 5), rem(5, 6, 0, 5)}}},
		"operation 0 of goroutine 0 removes element 0, the insertion of which had not begun": {
			Logs: []ops{{rem(3, 4, 0, 5), ins(5, 6, 0, 5)}}},
		"operation 1 of goroutine 0 removes element 0 with key 6, but it was inserted with key 5": {
			Logs: []ops{{first, rem(3, 4, 0, 6)}}},
		"operation 1 of goroutine 0 is about element 7, but only 1 elements were inserted": {
			Logs: []ops{{first, rem(3, 4, 7, 6)}}},
		"operation 0 of goroutine 1 inserts element 0, which was inserted before": {
			Logs: []ops{{first}, {first, ins(3, 4, 1, 5)}}},
		"element 0 with a key that is not a number": {
			Logs: []ops{{ins(1, 2, 0, math.NaN())}}},
		"operation 1 of goroutine 0 is out of time": {
			Logs: []ops{{first, ins(2, 3, 1, 5)}}},
		"operation 0 of goroutine 0 is out of time":                                       {Logs: []ops{{ins(2, 1, 0, 5)}}},
		"operation 0 of the filling by goroutine 0 is of kind 2, which has no place here": {Fill: []ops{{failed(1, 2)}}},
		"operation 0 of goroutine 0 is of kind 9": {
			Logs: []ops{{{Begin: 1, End: 2, Kind: 9}}}},
		"out of time: it takes from 1 to 9223372036854775807":  {Logs: []ops{{ins(1, math.MaxInt64, 0, 5)}}},
		"out of time: it takes from -9223372036854775808 to 1": {Logs: []ops{{ins(math.MinInt64, 1, 0, 5)}}},
		"2 of 3 elements were lost; the first is 1, with key 6": {
			Fill: []ops{{first, ins(3, 4, 1, 6)}, {ins(5, 6, 2, 7)}}, Logs: []ops{{rem(7, 8, 0, 5)}},
			Drain: ops{failed(10, 11)}},
		"element 0 was left, which had been removed before": {Logs: []ops{{first, rem(3, 4, 0, 5)}},
			Drain: ops{rem(5, 6, 0, 5)}},
		"element 9 was left, which had not been inserted":               {Drain: ops{rem(5, 6, 9, 5)}},
		"element 0 was left with key 6, but it was inserted with key 5": {Fill: []ops{{first}}, Drain: ops{rem(5, 6, 0, 6)}},
		"operation 0 of the draining is not a removal":                  {Drain: ops{ins(5, 6, 0, 6)}},
	} {
		report, err := relaxedtest.Replay(&trace)
		if err == nil || !strings.HasPrefix(err.Error(), "relaxedtest: ") || !strings.Contains(err.Error(), want) ||
			report != (relaxedtest.Report{}) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// slow is a replay by the definitions, every removal against every element.
func slow(t *relaxedtest.Trace) relaxedtest.Report {
	type life struct {
		in, out relaxedtest.Operation
		removed bool
		delay   int
	}
	lives := map[uint32]*life{}
	var removals, failures []relaxedtest.Operation
	var r relaxedtest.Report
	for l, log := range slices.Concat(t.Fill, t.Logs) {
		for _, o := range log {
			if o.Kind == relaxedtest.Insertion {
				lives[o.ID] = &life{in: o}
				if l >= len(t.Fill) {
					r.Insertions++
				}
			}
		}
	}
	for _, log := range t.Logs {
		for _, o := range log {
			switch o.Kind {
			case relaxedtest.Removal:
				lives[o.ID].out, lives[o.ID].removed = o, true
				removals = append(removals, o)
			case relaxedtest.Failure:
				failures = append(failures, o)
			}
		}
	}
	thereFor := func(x *life, o relaxedtest.Operation) bool {
		return x.in.End < o.Begin && (!x.removed || x.out.Begin > o.End)
	}
	var ranks, delays []int
	most := 0
	for _, o := range removals {
		rank, y := 0, lives[o.ID]
		for _, x := range lives {
			if x.in.Key > y.in.Key || x.in.Key == y.in.Key && !(x.in.End < y.in.Begin) {
				continue
			}
			if thereFor(x, o) {
				rank++
				x.delay++
			}
			if x.in.Begin <= o.End && (!x.removed || x.out.End >= o.Begin) {
				most++
			}
		}
		ranks = append(ranks, rank)
	}
	for _, o := range failures {
		r.Failures++
		for _, x := range lives {
			if thereFor(x, o) {
				r.Missed++
				break
			}
		}
	}
	for _, x := range lives {
		if x.removed {
			delays = append(delays, x.delay)
		} else {
			r.Left++
			r.LeftDelay = max(r.LeftDelay, x.delay)
		}
	}
	if r.Removals = len(removals); r.Removals > 0 {
		r.MeanRankAtMost = float64(most) / float64(r.Removals)
	}
	r.Rank, r.Delay, r.Collisions = summary(ranks), summary(delays), t.Collisions
	return r
}

func summary(x []int) (s relaxedtest.Summary) {
	if len(x) == 0 {
		return s
	}
	slices.Sort(x)
	for _, y := range x {
		s.Mean += float64(y)
	}
	s.Mean /= float64(len(x))
	at := func(share float64) int { // the least that is no smaller than this share of all
		i := 0
		for float64(i+1) < share*float64(len(x)) {
			i++
		}
		return x[i]
	}
	s.P50, s.P99, s.Max = at(0.5), at(0.99), x[len(x)-1]
	return s
}

// traceOf makes a trace that some queue may have made from any bytes: two an operation.
func traceOf(data []byte) *relaxedtest.Trace {
	goroutines := 1 + len(data)/2%4
	t := &relaxedtest.Trace{Fill: make([]ops, goroutines), Logs: make([]ops, goroutines), Collisions: uint64(len(data))}
	next := make([]int64, len(t.Logs))
	var born ops
	for ; len(data) >= 2; data = data[2:] {
		l := int(data[0]) % len(t.Logs)
		o := relaxedtest.Operation{Begin: next[l] + 1 + int64(data[0]>>2&7), Kind: relaxedtest.Kind(data[0] >> 5 & 1)}
		o.End = o.Begin + int64(data[1]&7)
		next[l] = o.End
		if o.Kind == relaxedtest.Insertion {
			o.Key, o.ID = float64(data[1]>>3&7), uint32(len(born))
			born = append(born, o)
		} else {
			o.ID = uint32(data[1] >> 3) // to choose what is removed
		}
		if o.Kind == relaxedtest.Insertion && len(t.Logs[l]) == 0 {
			t.Fill[l] = append(t.Fill[l], o)
			continue
		}
		t.Logs[l] = append(t.Logs[l], o)
	}
	gone := map[uint32]bool{}
	for _, log := range t.Logs {
		for i := range log {
			o := &log[i]
			if o.Kind != relaxedtest.Removal {
				continue
			}
			var may ops
			for _, b := range born {
				if !gone[b.ID] && b.Begin < o.End {
					may = append(may, b)
				}
			}
			if len(may) == 0 {
				*o = failed(o.Begin, o.End)
				continue
			}
			b := may[int(o.ID)%len(may)]
			o.ID, o.Key = b.ID, b.Key
			gone[b.ID] = true
		}
	}
	return t
}

// FuzzReplay compares the replay with the definitions, and what was saved with what is read.
func FuzzReplay(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		data := make([]byte, 4*i)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trace := traceOf(data[:min(len(data), 500)])
		got, err := relaxedtest.Replay(trace)
		if err != nil {
			t.Fatal(err)
		}
		if want := slow(trace); got != want {
			t.Fatalf("got  %+v\nwant %+v\n%+v", got, want, trace)
		}
		var b bytes.Buffer
		if n, err := trace.WriteTo(&b); err != nil || n != int64(b.Len()) {
			t.Fatalf("wrote %d bytes and said %d, %v", b.Len(), n, err)
		}
		if back, err := relaxedtest.ReadTrace(&b); err != nil || !reflect.DeepEqual(trace, back) {
			t.Fatalf("%v: saved %+v, read %+v", err, trace, back)
		}
	})
}

// A trace of random operations, longer than those of the fuzzer.
func TestReplayRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 15 {
		data := make([]byte, 2000)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		trace := traceOf(data)
		got, err := relaxedtest.Replay(trace)
		if err != nil {
			t.Fatal(err)
		}
		if want := slow(trace); got != want {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	trace := relaxedtest.Meter{Goroutines: 8, Fill: 100_000, Operations: 50_000}.Run(sprayed{
		List: spray.New[float64, uint64]()})
	for b.Loop() {
		if _, err := relaxedtest.Replay(trace); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500_000, "ns/operation")
}
