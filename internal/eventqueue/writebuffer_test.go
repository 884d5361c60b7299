package eventqueue_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// cold is a queue that collects what is to be written into records, as large ones do.
func cold(start float64, most int) *eventqueue.Queue {
	q := eventqueue.New(eventqueue.StartAt(start))
	q.SetMost(most)
	q.SetCold()
	return q
}

// cool is one that also writes at once for a while.
func cool(start float64, most int) *eventqueue.Queue {
	q := eventqueue.New(eventqueue.StartAt(start))
	q.SetMost(most)
	q.SetCool()
	return q
}

func TestColdQueueConforms(t *testing.T) {
	calendartest.Run(t, func(start float64) calendartest.Set { return cold(start, 40) },
		calendartest.AtMost(testscale.Size(250, 1000)))
	calendartest.Run(t, func(start float64) calendartest.Set { return cool(start, 100) },
		calendartest.AtMost(testscale.Size(250, 1000)))
}

func FuzzColdQueue(f *testing.F) {
	f.Add([]byte("schedule, cancel, peek, next"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := calendartest.Replay(data, cold(0, 40), cool(-1e9, 1000)); err != nil {
			t.Error(err)
		}
	})
}

// Long runs of holds, so that as much is collected as there is room for, between which other things
// are done: whatever is asked of a queue while something is still to be written is answered as by
// one that writes at once.
func TestColdQueueInTheMiddleOfIt(t *testing.T) {
	most := 0
	for seed := range testscale.Size[uint64](12, 40) {
		d := calendartest.Distributions()[seed%uint64(len(calendartest.Distributions()))]
		j := calendartest.NewJumps(d, 3000, seed)
		r := rand.New(rand.NewPCG(seed, 83))
		got, want := cold(0, []int{40, 500, 5000}[seed%3]), eventqueue.New()
		if seed%4 == 3 {
			got.SetCool()
		}
		const n = 3000
		for id := range eventqueue.ID(n) {
			at := j.Next()
			must(t, got.Schedule(id, at))
			must(t, want.Schedule(id, at))
		}
		for round := range testscale.Size(36, 60) {
			for range r.IntN(200) {
				id, at, ok := want.Next()
				if gotID, gotAt, gotOK := got.Next(); id != gotID || at != gotAt || ok != gotOK {
					t.Fatalf("seed %d: %d at %v, %v; want %d at %v, %v", seed, gotID, gotAt, gotOK, id, at, ok)
				}
				if r.IntN(50) == 0 { // it does not come back
					continue
				}
				at += j.Next()
				must(t, want.Schedule(id, at))
				must(t, got.Schedule(id, at))
				most = max(most, got.Buffered())
			}
			must(t, got.Check())
			id, other, at := eventqueue.ID(r.IntN(n)), eventqueue.ID(r.IntN(n)), want.Now()+j.Next()
			var wantAnswer, gotAnswer any
			switch round % 9 {
			case 0:
				wantAnswer, gotAnswer = want.Cancel(id), got.Cancel(id)
			case 1:
				wantAnswer, gotAnswer = want.Schedule(id, at), got.Schedule(id, at)
			case 2:
				wantAnswer, gotAnswer = want.Reschedule(id, at), got.Reschedule(id, at)
			case 3:
				wantAnswer, gotAnswer = want.Renumber(id, other), got.Renumber(id, other)
			case 4:
				wantAt, wantOK := want.Due(id)
				gotAt, gotOK := got.Due(id)
				wantAnswer, gotAnswer = [2]any{wantAt, wantOK}, [2]any{gotAt, gotOK}
			case 5:
				wantAnswer, gotAnswer = want.Len(), got.Len()
			case 6:
				want.Trim()
				got.Trim()
			case 7:
				wantAnswer, gotAnswer = want.Stats().Pending, got.Stats().Pending
			case 8: // many ids, of which one is refused
				first := eventqueue.ID(n)
				all := func(_ int, _ eventqueue.ID, due []float64) error {
					for i := range due {
						due[i] = at
					}
					return nil
				}
				wantAnswer, gotAnswer = want.ScheduleAll(context.Background(), first, 20, 1, all) != nil,
					got.ScheduleAll(context.Background(), first, 20, 1, all) != nil
			}
			if wantAnswer != gotAnswer {
				t.Fatalf("seed %d, round %d: %v, want %v", seed, round, gotAnswer, wantAnswer)
			}
			must(t, got.Check())
		}
		if seed%4 == 0 {
			got.Reset(5)
			want.Reset(5)
			must(t, got.Check())
			for id := range eventqueue.ID(n) {
				must(t, got.Schedule(id, 5))
				must(t, want.Schedule(id, 5))
			}
		}
		sameQueues(t, got, want)
	}
	if most < 60 {
		t.Errorf("no more than %d were collected", most)
	}
}

// Whatever is called right after Next, of the id that was dispatched or of another, is answered as
// by a queue that has nothing more to write: here one that was asked something in between.
func TestDispatchedIsGone(t *testing.T) {
	for seed := range testscale.Size[uint64](24, 200) {
		queues := [2]*eventqueue.Queue{eventqueue.New(), eventqueue.New()}
		for i, q := range queues {
			q.SetMost(40)
			if seed%3 > 0 {
				q.SetCold()
			}
			if seed%3 == 2 && i == 0 {
				q.SetCool()
			}
		}
		r := rand.New(rand.NewPCG(seed, 85))
		const n = 60
		ids := make([]eventqueue.ID, n)
		for i := range ids {
			ids[i] = eventqueue.ID(i)
			if i == 0 && seed%8 == 0 {
				ids[i] = 1 << 15 // on a page of its own, which goes when nobody needs it
			}
		}
		left, before := ids[0], ids[0] // who left last, and the one before
		for step := range 300 {
			id, other, jump, what := ids[r.IntN(n)], ids[r.IntN(n)], float64(r.IntN(5)), r.IntN(20)
			switch r.IntN(3) {
			case 0:
				id = left
			case 1:
				id = before
			}
			if step%64 == 63 {
				what = -1
			}
			was, answers := left, [2][5]any{}
			for i, q := range queues {
				a := &answers[i]
				at := q.Now() + jump
				switch what {
				case -1: // all leave, and all but the last come back at once
					last := eventqueue.ID(n)
					for id, _, ok := q.Next(); ok; id, _, ok = q.Next() {
						last = id
					}
					now := q.Now()
					a[0] = q.ScheduleAll(context.Background(), 0, n, 1, func(_ int, _ eventqueue.ID, due []float64) error {
						for id := range due {
							if eventqueue.ID(id) != last {
								due[id] = now + float64(id%7)
							}
						}
						return nil
					})
				case 0:
					a[0] = q.Cancel(id)
				case 1:
					a[0] = q.Reschedule(id, at)
				case 2:
					a[0] = q.Renumber(id, other)
				case 3:
					a[0] = q.Renumber(other, id)
				case 4:
					a[0], a[1] = q.Due(id)
				case 5:
					a[0], a[1], a[2] = q.Peek()
				case 6:
					a[0], a[1], a[2] = q.Cancel(other), q.Cancel(id), q.Cancel(id)
				case 7:
					a[0], a[1], a[2] = q.Reschedule(id, at+1), q.Reschedule(other, at), q.Reschedule(id, at)
				case 8:
					a[0] = q.ScheduleAll(context.Background(), id, 1, 1, func(_ int, _ eventqueue.ID, due []float64) error {
						due[0] = at
						return nil
					}) == nil
				case 9:
					if q.Trim(); step%8 == 0 {
						q.Reset(at)
					}
				case 10:
					a[0], a[1] = q.Schedule(id, at), q.Schedule(id, at)
				case 11:
					a[0], a[1] = q.Schedule(id, at-jump-1), q.Schedule(id, at) // the first is in the past
				default:
					if what%2 == 0 {
						a[0], a[1], a[2] = q.NextBy(at)
					} else {
						a[0], a[1], a[2], a[3] = q.NextTied(at)
					}
					if i == 1 {
						q.Due(other) // which brings everything up to date
					}
					if a[2] == true && what%2 == 0 || a[3] == true {
						left, before = a[0].(eventqueue.ID), was
					}
				}
				a[4] = q.Len()
				if step%16 == 0 || seed%8 > 0 { // a page more takes time
					must(t, q.Check())
				}
			}
			if answers[0] != answers[1] {
				t.Fatalf("seed %d, step %d: call %d is answered %v, want %v", seed, step, what, answers[0], answers[1])
			}
			if what < 6 && r.IntN(2) == 0 { // so that there is something to dispatch
				must(t, queues[0].Reschedule(other, queues[0].Now()+jump))
				must(t, queues[1].Reschedule(other, queues[1].Now()+jump))
			}
		}
		sameQueues(t, queues[0], queues[1])
	}
}
