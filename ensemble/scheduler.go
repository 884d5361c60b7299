package ensemble

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// A scheduler decides which replicas of a job are handed out next, and merges their results. It
// sends no messages. Its points depend on the results alone, not on their order or on how tasks
// were cut.
//
// Replicas of a point go through these states; each boundary only moves to the right:
//
//	0 ········ merged ········ planned ········ goal
//	  in tally         handed out       to be handed out
//
// Between merged and planned are results that wait for an earlier one, outstanding tasks, and
// requeued ranges.
type scheduler struct {
	job *Job
	o   RunOptions // callbacks, and the duration of a task

	states []*pointState // from low on
	low    int           // points before this one are finished
	scan   int           // points before this one have nothing to hand out

	outstanding       map[wire.Key][]wire.Piece // tasks without a result
	ready             []PointResult             // finished, in order
	failed            *wire.Failure             // first failure, in the order of points and replicas
	secondsPerReplica float64                   // moving average; 0 before the first result
	outputs           int                       // largest number of values of a replica so far
	tallied           int                       // numbers held in tallies
	pendingNumbers    int                       // numbers in results that wait for an earlier one
	pendingLimit      int                       // of pendingNumbers, before handing out pauses

	replicaErr error // returned by o.Replica
	varied     bool  // replicas of some emitted point differ

	counts Counts
	merged int    // replicas
	events uint64 // of these replicas
	rate   rate   // of events
}

// maxShared is the number of deliveries of a task after which its replicas run one by one, alone in
// their worker.
const maxShared = 2

// A pointState is the progress of a point.
type pointState struct {
	tally    *tally
	merged   int
	planned  int
	requeued []chunk         // ranges to be handed out again
	pending  []pendingResult // results that wait for an earlier one, by first replica
	failed   *wire.Failure   // the first replica that failed
	finished bool
	precise  bool
}

// A chunk is a requeued range. If alone, its replicas are handed out one by one, because workers
// may have died of one of them.
type chunk struct {
	wire.Piece
	alone bool
}

type pendingResult struct {
	wire.Piece
	names   []string
	series  int // length of a replica's series
	numbers []float64
	data    [][]byte // of each replica; nil if there is none
}

func newScheduler(job *Job, o RunOptions) *scheduler {
	return &scheduler{job: job, o: o, outstanding: map[wire.Key][]wire.Piece{}, pendingLimit: maxPending}
}

const (
	maxPieces      = 1024      // of a task
	maxResultBytes = 512 << 10 // of numbers in a result, unless one replica has more
	maxPending     = 1 << 23   // numbers in pending results
	maxTallied     = 1 << 25   // numbers in tallies, before later points have to wait
	maxAhead       = 1 << 16   // points in progress
)

// point returns the state of a point, or nil if it is finished or too far ahead.
func (s *scheduler) point(point int) *pointState {
	if point < s.low || point >= len(s.job.Points) || point-s.low >= maxAhead {
		return nil
	}
	for len(s.states) <= point-s.low {
		s.states = append(s.states, new(pointState))
	}
	return s.states[point-s.low]
}

// size is the number of replicas of the next task.
func (s *scheduler) size() int {
	if s.secondsPerReplica == 0 {
		return 1 // their duration is not known yet
	}
	n := int(min(s.o.TaskTime.Seconds()/s.secondsPerReplica, 1e6))
	return max(1, min(n, maxResultBytes/8/(s.outputs+1)))
}

// next returns a task to hand out, or nil if there is none for now.
func (s *scheduler) next() []wire.Piece {
	if s.pendingNumbers > s.pendingLimit && len(s.outstanding) > 0 && (len(s.states) == 0 || len(s.states[0].requeued) ==
		0) {
		return nil // all pending results wait for a task that is outstanding
	}
	pieces := s.cut(0)
	if pieces == nil && s.job.Precision.Relative > 0 && len(s.outstanding) == 0 {
		return nil
	}
	if pieces == nil && s.job.Precision.Relative > 0 {
		// Hand out the next batch speculatively, so that workers do not idle.
		s.scan = s.low
		pieces = s.cut(1)
	}
	if pieces != nil {
		s.outstanding[wire.KeyOf(pieces)] = pieces
		s.counts.Tasks++
	}
	return pieces
}

// cut makes a task of what may be handed out, up to batches batches beyond what is known to be
// needed.
func (s *scheduler) cut(batches int) (pieces []wire.Piece) {
	want := s.size()
	for s.scan = max(s.scan, s.low); want > 0 && len(pieces) < maxPieces; {
		if s.scan > s.low && s.tallied > maxTallied {
			break
		}
		p := s.point(s.scan)
		if p == nil {
			break
		}
		if len(p.requeued) > 0 && p.requeued[0].alone {
			if len(pieces) > 0 {
				break
			}
			want = 1
		}
		n, first := p.next(want, s.goal(p, batches))
		if n == 0 {
			s.scan++
			continue
		}
		pieces = append(pieces, wire.Piece{Point: s.scan, First: first, Count: n})
		want -= n
	}
	return pieces
}

// goal is the replica of a point up to which it may be handed out.
func (s *scheduler) goal(p *pointState, batches int) int {
	goal := s.job.Replicas
	if s.job.Precision.Relative > 0 {
		b := s.job.Precision.batch()
		goal = min(goal, (p.merged/b+1+batches)*b)
	}
	if p.failed != nil {
		goal = min(goal, p.failed.Replica)
	}
	return goal
}

// next takes up to want replicas: requeued ones, then new ones.
func (p *pointState) next(want, goal int) (n, first int) {
	if p.finished {
		return 0, 0
	}
	for len(p.requeued) > 0 {
		a := p.requeued[0]
		end := a.First + a.Count
		var room int
		first, room = p.uncovered(a.First)
		if n = min(want, room, end-first); n <= 0 || p.failed != nil && first >= goal {
			p.requeued = p.requeued[1:]
			continue
		}
		if p.requeued[0].First, p.requeued[0].Count = first+n, end-first-n; first+n == end {
			p.requeued = p.requeued[1:]
		}
		return n, first
	}
	first, room := p.uncovered(p.planned)
	if n = min(want, room, goal-first); n <= 0 {
		return 0, 0
	}
	p.planned = first + n
	return n, first
}

// uncovered returns the first replica from here on that has no result, and the number of replicas
// up to the next one that has. There are gaps if an earlier coordinator was interrupted.
func (p *pointState) uncovered(from int) (first, room int) {
	first = max(from, p.merged)
	for _, w := range p.pending {
		if w.First > first {
			return first, w.First - first
		}
		first = max(first, w.First+w.Count)
	}
	return first, math.MaxInt
}

// requeue hands a range out again.
func (s *scheduler) requeue(q wire.Piece, alone bool) {
	if p := s.point(q.Point); p != nil && !p.finished {
		p.requeued = append(p.requeued, chunk{q, alone})
		s.scan = min(s.scan, q.Point)
	}
}

// taskLost requeues a task that will have no result.
func (s *scheduler) taskLost(k wire.Key) {
	s.counts.Lost++
	for _, q := range s.outstanding[k] {
		s.requeue(q, false)
	}
	delete(s.outstanding, k)
}

// add adds the result of the task with key k.
func (s *scheduler) add(k wire.Key, r *wire.Result) {
	s.counts.Results++
	if r.Delivered > 1 {
		s.counts.Redone++
	}
	replicas, at := 0, 0
	for i, q := range r.Pieces {
		names := r.Names[r.Lists[i]]
		series := r.SeriesOf(r.Lists[i])
		size := q.Count * (1 + len(names) + series)
		w := pendingResult{q, names, series, r.Numbers[at : at+size], nil}
		if r.Data != nil {
			w.data = r.Data[replicas : replicas+q.Count]
		}
		s.place(w)
		at += size
		replicas += q.Count
		s.outputs = max(s.outputs, len(names)+series)
	}
	s.measure(r.Took, replicas)
	if f := r.Failure; f != nil {
		if p := s.point(f.Point); p != nil && !p.finished && f.Replica >= p.merged &&
			(p.failed == nil || f.Replica < p.failed.Replica) {
			p.failed = f
		}
	}
	s.settle(k, r)
	s.advance()
}

// settle removes a task from the outstanding ones, and requeues the replicas that its result lacks.
func (s *scheduler) settle(k wire.Key, r *wire.Result) {
	asked, ok := s.outstanding[k]
	if !ok {
		return // of an earlier coordinator, or a duplicate
	}
	delete(s.outstanding, k)
	short := false
	for i, q := range asked {
		if i < len(r.Pieces) && r.Pieces[i].Point == q.Point && r.Pieces[i].First == q.First {
			n := min(r.Pieces[i].Count, q.Count)
			q.First, q.Count = q.First+n, q.Count-n
		}
		if q.Count > 0 {
			s.requeue(q, r.Delivered > maxShared)
			short = true
		}
	}
	if short && r.Failure == nil {
		s.counts.Short++
	}
}

// measure updates the moving average of the duration of replicas.
func (s *scheduler) measure(took time.Duration, replicas int) {
	if replicas == 0 || took <= 0 {
		return
	}
	x := took.Seconds() / float64(replicas)
	if s.secondsPerReplica == 0 {
		s.secondsPerReplica = x
	}
	s.secondsPerReplica += float64((x - s.secondsPerReplica) / 4)
}

// place merges a result, or keeps it until the results before it have come.
func (s *scheduler) place(w pendingResult) {
	p := s.point(w.Point)
	if p == nil || p.finished || w.First+w.Count <= p.merged {
		s.counts.Duplicates += w.Count
		return
	}
	i, _ := slices.BinarySearchFunc(p.pending, w.First, func(x pendingResult, first int) int { return x.First - first })
	p.pending = slices.Insert(p.pending, i, w)
	s.pendingNumbers += w.size()
	for len(p.pending) > 0 && p.pending[0].First <= p.merged && !p.finished {
		s.merge(p, p.pending[0])
		s.pendingNumbers -= p.pending[0].size()
		p.pending[0] = pendingResult{}
		p.pending = p.pending[1:]
	}
}

// merge adds the replicas that are not yet in the tally, until the point is finished.
func (s *scheduler) merge(p *pointState, w pendingResult) {
	if p.tally == nil {
		p.tally = newTally(w.names, w.series)
		for _, name := range s.job.Precision.Outputs {
			if !slices.Contains(w.names, name) {
				s.fail(p, w.Point, p.merged, fmt.Sprintf("precision is asked of %q, which is not among the outputs", name))
			}
		}
	}
	if !slices.Equal(p.tally.names, w.names) || len(p.tally.columns) != len(w.names)+w.series {
		s.fail(p, w.Point, max(p.merged, w.First), "it gives other outputs than the replicas before it")
	}
	each := 1 + len(p.tally.columns)
	skip := min(p.merged-w.First, w.Count)
	s.counts.Duplicates += skip
	for i := skip; i < w.Count && !p.finished && !(p.failed != nil && p.failed.Replica <= p.merged); i++ {
		s.tallied += p.tally.add(w.numbers[i*each:][:each])
		s.emitReplica(w, i)
		p.merged++
		s.merged++
		s.events += uint64(w.numbers[i*each])
		switch b := s.job.Precision.batch(); {
		case p.merged%b == 0 && p.tally.precise(s.job.Precision):
			p.finished, p.precise = true, true
		case p.merged == s.job.Replicas:
			p.finished = true
		case p.merged%b == 0:
			s.scan = min(s.scan, w.Point) // there is a next batch
		}
	}
}

func (s *scheduler) fail(p *pointState, point, replica int, text string) {
	if p.failed == nil || replica < p.failed.Replica {
		p.failed = &wire.Failure{Point: point, Replica: replica, Reason: "error", Text: text}
	}
}

// advance makes points ready, in order, up to the first that is not finished.
func (s *scheduler) advance() {
	for len(s.states) > 0 {
		p := s.states[0]
		if !p.finished {
			if p.failed != nil && p.failed.Replica <= p.merged {
				s.failed = p.failed
			}
			return
		}
		for i := range p.tally.columns {
			s.tallied -= len(p.tally.columns[i].values)
		}
		r := p.tally.result(s.job.quantiles())
		r.Index, r.Point, r.Precise = s.low, s.job.Points[s.low], p.precise
		s.ready = append(s.ready, r)
		s.skip()
	}
}

// skip moves on to the next point.
func (s *scheduler) skip() {
	if len(s.states) > 0 {
		for _, w := range s.states[0].pending {
			s.pendingNumbers -= w.size()
		}
		s.states[0] = nil
		s.states = s.states[1:]
	}
	s.low++
}

// skipStored skips the next point, which an earlier coordinator has finished.
func (s *scheduler) skipStored(r PointResult) {
	if p := s.point(s.low); p != nil && p.tally != nil {
		s.merged -= p.merged
		s.events -= p.tally.events
		for i := range p.tally.columns {
			s.tallied -= len(p.tally.columns[i].values)
		}
	}
	s.merged += r.Replicas
	s.events += r.Events
	s.skip()
	s.advance()
}

// emitReady emits the points that are ready, each after store has stored it, and reports whether
// the job is done. It returns the first error of the caller's functions.
func (s *scheduler) emitReady(store func(PointResult) error) (done bool, err error) {
	if s.replicaErr != nil {
		return false, s.replicaErr
	}
	for len(s.ready) > 0 {
		p := s.ready[0]
		if err := store(p); err != nil {
			return false, err
		}
		if err := s.emit(p); err != nil {
			return false, err
		}
		s.ready = s.ready[1:]
	}
	return s.finished(), nil
}

// failure returns the first failure, in the order of points and replicas, once all replicas before
// it are merged.
func (s *scheduler) failure() error {
	if s.failed == nil {
		return nil
	}
	return s.job.replicaError(*s.failed)
}

// emit passes a point to the caller.
func (s *scheduler) emit(p PointResult) error {
	s.varied = s.varied || !p.identical()
	if s.o.Point == nil {
		return nil
	}
	return s.o.Point(p)
}

// emitted is the number of points that were emitted.
func (s *scheduler) emitted() int { return s.low - len(s.ready) }

// outcome is the outcome of the job with a key.
func (s *scheduler) outcome(key string) Outcome {
	return Outcome{Key: key, PointsDone: s.emitted(), Replicas: s.merged, Events: s.events, Counts: s.counts,
		Identical: s.emitted() > 0 && !s.varied}
}

// progress is the progress of the job with a key, given the number of workers and slots. It is
// called every progressInterval.
func (s *scheduler) progress(key string, workers, slots int) Progress {
	s.rate.sample(s.events)
	p := Progress{Key: key, Points: len(s.job.Points), PointsDone: s.emitted(), Replicas: s.total(), Merged: s.merged,
		Events:          s.events,
		EventsPerSecond: s.rate.perSecond, Workers: workers, Slots: slots, Left: -1, Counts: s.counts}
	if s.secondsPerReplica > 0 && slots > 0 {
		p.Left = time.Duration(float64(max(p.Replicas-p.Merged, 0)) * s.secondsPerReplica / float64(slots) *
			float64(time.Second))
	}
	return p
}

// progressInterval is the time between calls of Progress.
const progressInterval = 250 * time.Millisecond

// A rate is a moving average of the growth of a counter.
type rate struct {
	perSecond float64
	last      uint64
	at        time.Time
}

func (r *rate) sample(x uint64) {
	now := time.Now()
	if !r.at.IsZero() && x >= r.last {
		const memory = 5 // seconds
		dt := now.Sub(r.at).Seconds()
		r.perSecond += float64((float64(x-r.last)/dt - r.perSecond) * min(1, dt/memory))
	}
	r.last, r.at = x, now
}

// finished reports whether all points are finished.
func (s *scheduler) finished() bool { return s.low == len(s.job.Points) }

// total is the number of replicas of the job; with a precision, at most.
func (s *scheduler) total() int { return len(s.job.Points) * s.job.Replicas }

// size is the memory of a pending result, its data included, in numbers of 8 bytes.
func (w *pendingResult) size() int {
	n := len(w.numbers)
	for _, d := range w.data {
		n += len(d) / 8
	}
	return n
}

// emitReplica passes replica i of a result to the caller.
func (s *scheduler) emitReplica(w pendingResult, i int) {
	if s.o.Replica == nil || s.replicaErr != nil {
		return
	}
	each, named := 1+len(w.names)+w.series, 1+len(w.names)
	numbers := w.numbers[i*each:][:each]
	v := Values{Names: w.names, Numbers: numbers[1:named:named], Series: numbers[named:], Events: uint64(numbers[0])}
	if w.data != nil {
		v.Data = w.data[i]
	}
	s.replicaErr = s.o.Replica(w.Point, w.First+i, v)
}
