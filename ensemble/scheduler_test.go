//go:build linux || darwin

package ensemble

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A pretence is a worker without messages: it answers tasks from a model, as far as it likes.
type pretence struct {
	job *Job
	m   Model
}

func (w pretence) answer(t *testing.T, pieces []wire.Piece, replicas int) *wire.Result {
	t.Helper()
	b := &batch{w: NewWorker(nil, WorkerOptions{}), ctx: context.Background(), r: &wire.Result{}, begun: time.Now(),
		cut:   time.Hour,
		model: &jobModel{spec: &spec{Job: *w.job}, model: w.m, log: func([]byte) {}}}
	defer b.loop.release()
	for _, p := range pieces {
		p.Count = min(p.Count, replicas)
		if p.Count == 0 || !b.run(p) {
			break
		}
		replicas -= p.Count
	}
	b.r.Took = time.Duration(b.n) * time.Millisecond
	data, err := b.r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := wire.DecodeResult(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// However tasks are cut, answered in part, answered twice, lost, or left over from another
// coordinator: the output is that of a plain loop.
func TestStudyIsThatOfAPlainLoop(t *testing.T) {
	g := testKinds("test")
	precise := walks(40, 400)
	precise.Precision = Precision{Relative: 0.5, Outputs: []string{"square"}, Batch: 20}
	var all Counts
	lives := 0
	for name, job := range map[string]Job{"many points": walks(60, 30), "one point": walks(1, 900),
		"one replica": walks(150, 1), "precision": precise} {
		want := plain(t, g, job)
		k, _ := g.kind("walk")
		m, _ := k.Open(nil)
		worker := pretence{&job, m}
		for seed := range uint64(15) {
			random := rand.New(rand.NewPCG(seed, 1))
			var out bytes.Buffer
			var stored []PointResult
			type answered struct {
				k wire.Key
				r *wire.Result
			}
			var journal []answered // results that are stored and not purged
			var counts Counts
		coordinator:
			for life := 0; ; life++ {
				s := newScheduler(&job, RunOptions{TaskTime: time.Duration(1+random.IntN(100)) * time.Millisecond})
				for _, p := range stored {
					s.skipStored(p)
				}
				for _, a := range journal {
					s.add(a.k, a.r)
				}
				var open [][]wire.Piece
				s.pendingLimit = random.IntN(1000)
				for steps := 0; ; steps++ {
					stored = append(stored, s.ready...)
					s.ready = nil
					if s.finished() {
						counts, lives = s.counts, lives+life
						all.Short, all.Duplicates, all.Lost = all.Short+counts.Short, all.Duplicates+counts.Duplicates,
							all.Lost+counts.Lost
						break coordinator
					}
					if life < 3 && random.IntN(60) == 0 {
						break // it dies; those whose tasks are out may still answer
					}
					if next := s.next(); next != nil && len(s.outstanding) < 12 {
						open = append(open, next)
						continue
					} else if next != nil {
						open = append(open, next)
					}
					if len(open) == 0 {
						t.Fatalf("%s, seed %d: nothing is out, and nothing is finished: low %d of %d, %d out", name, seed, s.low,
							len(job.Points), len(s.outstanding))
					}
					i := random.IntN(len(open))
					pieces := open[i]
					k := wire.KeyOf(pieces)
					open = slices.Delete(open, i, i+1)
					if _, out := s.outstanding[k]; out && random.IntN(20) == 0 {
						s.taskLost(k)
						if random.IntN(2) == 0 {
							continue // lost indeed; else it is answered later than was thought
						}
					}
					n := 1 << 30
					if random.IntN(3) == 0 {
						n = 1 + random.IntN(40)
					}
					a := answered{k, worker.answer(t, pieces, n)}
					if !slices.ContainsFunc(journal, func(b answered) bool { return a.k == b.k }) {
						journal = append(journal, a)
						s.add(a.k, a.r)
						if random.IntN(10) == 0 {
							s.add(a.k, a.r)
						}
					} else { // as when it was answered before it was handed out, which the coordinator finds by looking
						i := slices.IndexFunc(journal, func(b answered) bool { return a.k == b.k })
						s.add(a.k, journal[i].r)
					}
				}
			}
			for _, p := range stored {
				if err := collect(&out)(p); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("%s, seed %d: not the output of a plain loop (%+v)", name, seed, counts)
			}
		}
	}

	t.Logf("%d coordinators died; %+v in the last lives", lives, all)
	if lives < 20 || all.Short < 100 || all.Duplicates < 100 || all.Lost < 20 {
		t.Error("too little of that happened")
	}
}

// The failure that is told is the first in the order of points and replicas, whichever comes first.
func TestStudyTellsTheFirstFailure(t *testing.T) {
	g := testKinds("test")
	job := walks(6, 50)
	for i, bad := range []int{-1, -1, 30, -1, 7, -1} {
		if bad >= 0 {
			job.Points[i].Set["bad"], job.Points[i].Set["length"] = fmt.Sprint(bad), "12"
		}
	}
	k, _ := g.kind("walk")
	m, _ := k.Open(nil)
	worker := pretence{&job, m}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		s := newScheduler(&job, RunOptions{TaskTime: 10 * time.Millisecond})
		var open [][]wire.Piece
		for s.failed == nil {
			if next := s.next(); next != nil {
				if open = append(open, next); len(open) < 20 {
					continue
				}
			}
			if len(open) == 0 {
				t.Fatalf("seed %d: stuck", seed)
			}
			i := random.IntN(len(open))
			s.add(wire.KeyOf(open[i]), worker.answer(t, open[i], 1<<30))
			open = slices.Delete(open, i, i+1)
		}
		if s.failed.Point != 2 || s.failed.Replica != 30 {
			t.Errorf("seed %d: point %d, replica %d failed; point 2, replica 30 was the first", seed, s.failed.Point,
				s.failed.Replica)
		}
	}
}

// Tasks take about as long as they should, and their results are not too large, once it is known
// how long replicas take.
func TestStudySizesTasks(t *testing.T) {
	for _, each := range []time.Duration{time.Millisecond, 30 * time.Millisecond, 400 * time.Millisecond,
		3 * time.Second} {
		job := walks(30, 5000)
		s := newScheduler(&job, RunOptions{TaskTime: time.Second})
		for i := range 200 {
			pieces := s.next()
			if pieces == nil {
				break // all is done
			}
			n := 0
			for _, p := range pieces {
				n += p.Count
			}
			r := &wire.Result{Pieces: pieces, Names: [][]string{{"x"}}, Lists: make([]int, len(pieces)),
				Numbers: make([]float64, 2*n), Took: time.Duration(n) * each}
			s.add(wire.KeyOf(pieces), r)
			if took := r.Took; i > 0 && (took > 2*time.Second || took < time.Second/2) && n > 1 {
				t.Errorf("replicas of %v: task %d takes %v", each, i, took)
			}
		}
	}
}

// A million replicas of one point, with results that come far out of order, leave no more behind
// than the sketch of their numbers.
func TestStudyMemoryIsBounded(t *testing.T) {
	job := walks(1, 1_000_000)
	s := newScheduler(&job, RunOptions{TaskTime: time.Second})
	s.secondsPerReplica, s.pendingLimit = 0.001, 100_000
	names, most, waits := [][]string{{"x"}}, 0, 0
	var open [][]wire.Piece
	random := rand.New(rand.NewPCG(1, 3))
	for !s.finished() {
		if pieces := s.next(); pieces != nil {
			open = append(open, pieces)
			if len(open) < 64 {
				continue
			}
		}
		i := random.IntN(len(open))
		if len(open) > 1 && open[i][0].First == s.states[0].merged && random.IntN(20) > 0 {
			continue // the one that all wait for is slow
		}
		p := open[i][0]
		numbers := make([]float64, 2*p.Count)
		for j := range p.Count {
			numbers[2*j+1] = float64(p.First + j)
		}
		s.add(wire.Key{Point: p.Point, First: p.First}, &wire.Result{Pieces: open[i], Names: names, Lists: []int{0},
			Numbers: numbers,
			Took:    time.Duration(p.Count) * time.Millisecond})
		open = slices.Delete(open, i, i+1)
		most = max(most, s.tallied)
		if len(s.states) > 0 {
			n := 0
			for _, w := range s.states[0].pending {
				n += len(w.numbers)
			}
			if n != s.pendingNumbers {
				t.Fatalf("%d numbers wait, not %d", n, s.pendingNumbers)
			}
			waits = max(waits, n)
		}
	}
	r := s.ready[0]
	t.Logf("numbers held: %d; waiting: %d", most, waits)
	if most > ExactReplicas || waits > s.pendingLimit+64*2*1000 || s.pendingNumbers != 0 || s.tallied != 0 ||
		!r.Sketched || r.Replicas !=
		1_000_000 {
		t.Errorf("%d numbers held, %d in the end; %+v", most, s.tallied, r)
	}
	x := r.Outputs[0]
	for i, q := range r.Quantiles {
		if want := q * 1e6; x.Quantiles[i] < want*(1-SketchError)-1 || x.Quantiles[i] > want*(1+SketchError)+1 {
			t.Errorf("the %g quantile of 0 to 999999 is %g", q, x.Quantiles[i])
		}
	}
	if x.Mean != 499999.5 || x.Min != 0 || x.Max != 999999 {
		t.Errorf("mean %v, from %v to %v", x.Mean, x.Min, x.Max)
	}
}
