package ensemble

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A study is a job in work, without the messages: which replicas are to be handed out next, and
// what has been merged. What it gives out as finished depends on the results alone, not on their
// order or on how the tasks were cut.
//
// Replicas of a point go through these states, and each boundary only moves to the right:
//
//	0 ········ merged ········ planned ········ goal
//	  in tally         handed out       to be handed out
//
// Between merged and planned lie results that wait for an earlier one, tasks that are out, and
// ranges that came back undone (again).
type study struct {
	job *Job
	o   RunOptions // what to do with what is merged, and how long a task should take

	points []*progress // from low on
	low    int         // points before this one are finished and given out
	scan   int         // points before this one have nothing to hand out

	out     map[key][]piece // tasks that are out
	ready   []PointResult   // finished, in order
	failed  *failure        // the first in the order of points and replicas
	pace    float64         // seconds for a replica, as measured lately; 0 before the first
	outputs int             // numbers of a replica, at most, as seen
	held    int             // numbers held in tallies
	waits   int             // numbers of results that wait for an earlier one
	room    int             // for those, before all have to wait for the earliest

	problem error // of o.Replica
	differ  bool  // the replicas of a point that was given out did not all give the same numbers

	counts Counts
	done   int    // replicas merged
	events uint64 // theirs
	rate   rate   // of events
}

// careful is after how many deliveries of a task its replicas are run one by one, and with nothing
// beside them.
const careful = 2

// A progress is how far a point is.
type progress struct {
	tally   *tally
	merged  int
	planned int
	again   []chunk   // to be handed out once more
	waiting []waiting // results after a gap, by their first replica
	failed  *failure  // the first replica that failed
	end     bool
	precise bool
}

// A chunk is a range that came back. If workers died of it, its replicas go out one by one: what
// kills a worker is then known.
type chunk struct {
	piece
	alone bool
}

type waiting struct {
	piece
	names   []string
	series  int // numbers of a replica that have no name
	numbers []float64
	data    [][]byte // of each replica, or nothing
}

func newStudy(job *Job, o RunOptions) *study {
	return &study{job: job, o: o, out: map[key][]piece{}, room: maxWaits}
}

const (
	maxPieces      = 1024      // of a task
	maxResultBytes = 512 << 10 // of numbers in a result, unless one replica has more
	maxWaits       = 1 << 23   // numbers of results that wait
	maxHeld        = 1 << 25   // numbers in tallies before points further on have to wait
	maxAhead       = 1 << 16   // points in work
)

// at is how far a point is, or nil if it is finished or too far ahead.
func (s *study) at(point int) *progress {
	if point < s.low || point >= len(s.job.Points) || point-s.low >= maxAhead {
		return nil
	}
	for len(s.points) <= point-s.low {
		s.points = append(s.points, new(progress))
	}
	return s.points[point-s.low]
}

// size is how many replicas a task should have.
func (s *study) size() int {
	if s.pace == 0 {
		return 1 // it is not known how long they take
	}
	n := int(min(s.o.TaskTime.Seconds()/s.pace, 1e6))
	return max(1, min(n, maxResultBytes/8/(s.outputs+1)))
}

// next is a task to hand out, or nil if there is none for now.
func (s *study) next() []piece {
	if s.waits > s.room && len(s.out) > 0 && (len(s.points) == 0 || len(s.points[0].again) == 0) {
		return nil // what all the others wait for is out: with a worker that has died, perhaps
	}
	pieces := s.cut(0)
	if pieces == nil && s.job.Precision.Relative > 0 && len(s.out) == 0 {
		return nil
	}
	if pieces == nil && s.job.Precision.Relative > 0 {
		// Whether there will be a next batch is not known. To wait would be to let workers idle.
		s.scan = s.low
		pieces = s.cut(1)
	}
	if pieces != nil {
		s.out[key{pieces[0].Point, pieces[0].First}] = pieces
		s.counts.Tasks++
	}
	return pieces
}

// cut makes a task of what may be handed out, so many batches beyond what is known to be needed.
func (s *study) cut(batches int) (pieces []piece) {
	want := s.size()
	for s.scan = max(s.scan, s.low); want > 0 && len(pieces) < maxPieces; {
		if s.scan > s.low && s.held > maxHeld {
			break
		}
		p := s.at(s.scan)
		if p == nil {
			break
		}
		if len(p.again) > 0 && p.again[0].alone {
			if len(pieces) > 0 {
				break
			}
			want = 1
		}
		n, first := p.take(want, s.goal(p, batches))
		if n == 0 {
			s.scan++
			continue
		}
		pieces = append(pieces, piece{s.scan, first, n})
		want -= n
	}
	return pieces
}

// goal is up to which replica a point may be handed out.
func (s *study) goal(p *progress, batches int) int {
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

// take takes up to want replicas that nobody has: those that came back, then new ones.
func (p *progress) take(want, goal int) (n, first int) {
	if p.end {
		return 0, 0
	}
	for len(p.again) > 0 {
		a := p.again[0]
		end := a.First + a.Count
		var room int
		first, room = p.uncovered(a.First)
		if n = min(want, room, end-first); n <= 0 || p.failed != nil && first >= goal {
			p.again = p.again[1:]
			continue
		}
		if p.again[0].First, p.again[0].Count = first+n, end-first-n; first+n == end {
			p.again = p.again[1:]
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

// uncovered is the first replica from here on that has no result, and how many there are until one
// that has. After a coordinator before this one, there may be gaps.
func (p *progress) uncovered(from int) (first, room int) {
	first = max(from, p.merged)
	for _, w := range p.waiting {
		if w.First > first {
			return first, w.First - first
		}
		first = max(first, w.First+w.Count)
	}
	return first, math.MaxInt
}

// giveBack says that a range is to be handed out again.
func (s *study) giveBack(q piece, alone bool) {
	if p := s.at(q.Point); p != nil && !p.end {
		p.again = append(p.again, chunk{q, alone})
		s.scan = min(s.scan, q.Point)
	}
}

// lost says that a task will not be answered.
func (s *study) lost(k key) {
	s.counts.Lost++
	for _, q := range s.out[k] {
		s.giveBack(q, false)
	}
	delete(s.out, k)
}

// take merges what can be merged. The result is of the task that begins at k.
func (s *study) take(k key, r *result) {
	s.counts.Results++
	if r.Delivered > 1 {
		s.counts.Redone++
	}
	replicas, at := 0, 0
	for i, q := range r.Pieces {
		names := r.Names[r.Lists[i]]
		series := r.seriesOf(r.Lists[i])
		size := q.Count * (1 + len(names) + series)
		w := waiting{q, names, series, r.numbers[at : at+size], nil}
		if r.data != nil {
			w.data = r.data[replicas : replicas+q.Count]
		}
		s.accept(w)
		at += size
		replicas += q.Count
		s.outputs = max(s.outputs, len(names)+series)
	}
	s.measure(r.Took, replicas)
	if f := r.Failure; f != nil {
		if p := s.at(f.Point); p != nil && !p.end && f.Replica >= p.merged &&
			(p.failed == nil || f.Replica < p.failed.Replica) {
			p.failed = f
		}
	}
	s.answered(k, r)
	s.advance()
}

// answered gives back what a task asked for and the result does not have.
func (s *study) answered(k key, r *result) {
	asked, ok := s.out[k]
	if !ok {
		return // of a coordinator before this one, or a second copy
	}
	delete(s.out, k)
	short := false
	for i, q := range asked {
		if i < len(r.Pieces) && r.Pieces[i].Point == q.Point && r.Pieces[i].First == q.First {
			n := min(r.Pieces[i].Count, q.Count)
			q.First, q.Count = q.First+n, q.Count-n
		}
		if q.Count > 0 {
			s.giveBack(q, r.Delivered > careful)
			short = true
		}
	}
	if short && r.Failure == nil {
		s.counts.Short++
	}
}

// measure learns how long replicas take. The last results count most, since points differ.
func (s *study) measure(took time.Duration, replicas int) {
	if replicas == 0 || took <= 0 {
		return
	}
	x := took.Seconds() / float64(replicas)
	if s.pace == 0 {
		s.pace = x
	}
	s.pace += float64((x - s.pace) / 4)
}

// accept puts a result where it belongs: into the tally, or in line.
func (s *study) accept(w waiting) {
	p := s.at(w.Point)
	if p == nil || p.end || w.First+w.Count <= p.merged {
		s.counts.Duplicates += w.Count
		return
	}
	i, _ := slices.BinarySearchFunc(p.waiting, w.First, func(x waiting, first int) int { return x.First - first })
	p.waiting = slices.Insert(p.waiting, i, w)
	s.waits += w.size()
	for len(p.waiting) > 0 && p.waiting[0].First <= p.merged && !p.end {
		s.merge(p, p.waiting[0])
		s.waits -= p.waiting[0].size()
		p.waiting[0] = waiting{}
		p.waiting = p.waiting[1:]
	}
}

// merge adds replicas to a tally, those that it does not yet have, until the point is at its end.
func (s *study) merge(p *progress, w waiting) {
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
	for i := skip; i < w.Count && !p.end && !(p.failed != nil && p.failed.Replica <= p.merged); i++ {
		s.held += p.tally.add(w.numbers[i*each:][:each])
		s.hand(w, i)
		p.merged++
		s.done++
		s.events += uint64(w.numbers[i*each])
		switch b := s.job.Precision.batch(); {
		case p.merged%b == 0 && p.tally.precise(s.job.Precision):
			p.end, p.precise = true, true
		case p.merged == s.job.Replicas:
			p.end = true
		case p.merged%b == 0:
			s.scan = min(s.scan, w.Point) // there is a next batch
		}
	}
}

func (s *study) fail(p *progress, point, replica int, text string) {
	if p.failed == nil || replica < p.failed.Replica {
		p.failed = &failure{Point: point, Replica: replica, Reason: "error", Text: text}
	}
}

// advance gives out the points that are finished, in order, up to the first that is not.
func (s *study) advance() {
	for len(s.points) > 0 {
		p := s.points[0]
		if !p.end {
			if p.failed != nil && p.failed.Replica <= p.merged {
				s.failed = p.failed
			}
			return
		}
		for i := range p.tally.columns {
			s.held -= len(p.tally.columns[i].values)
		}
		r := p.tally.result(s.job.quantiles())
		r.Index, r.Point, r.Precise = s.low, s.job.Points[s.low], p.precise
		s.ready = append(s.ready, r)
		s.skip()
	}
}

// skip goes on to the next point: this one is finished.
func (s *study) skip() {
	if len(s.points) > 0 {
		for _, w := range s.points[0].waiting {
			s.waits -= w.size()
		}
		s.points[0] = nil
		s.points = s.points[1:]
	}
	s.low++
}

// stored says that the next point was found finished, by a coordinator before this one.
func (s *study) stored(r PointResult) {
	if p := s.at(s.low); p != nil && p.tally != nil {
		s.done -= p.merged
		s.events -= p.tally.events
		for i := range p.tally.columns {
			s.held -= len(p.tally.columns[i].values)
		}
	}
	s.done += r.Replicas
	s.events += r.Events
	s.skip()
	s.advance()
}

// settle gives out what is finished, after store has stored it, and reports whether all is. It ends
// with the first error of the caller's functions.
func (s *study) settle(store func(PointResult) error) (done bool, err error) {
	if s.problem != nil {
		return false, s.problem
	}
	for len(s.ready) > 0 {
		p := s.ready[0]
		if err := store(p); err != nil {
			return false, err
		}
		if err := s.give(p); err != nil {
			return false, err
		}
		s.ready = s.ready[1:]
	}
	return s.finished(), nil
}

// failure is the first replica that failed, in the order of points and replicas, once all before it
// are merged.
func (s *study) failure() error {
	if s.failed == nil {
		return nil
	}
	return s.job.replicaError(*s.failed)
}

// give gives a point to the caller.
func (s *study) give(p PointResult) error {
	s.differ = s.differ || !p.alike()
	if s.o.Point == nil {
		return nil
	}
	return s.o.Point(p)
}

// given is how many points were given out.
func (s *study) given() int { return s.low - len(s.ready) }

// outcome is what became of a job that has a key.
func (s *study) outcome(key string) Outcome {
	return Outcome{Key: key, PointsDone: s.given(), Replicas: s.done, Events: s.events, Counts: s.counts,
		Alike: s.given() > 0 && !s.differ}
}

// progress is how far a job is that has a key, and so many workers and slots. It is called every
// sayEvery.
func (s *study) progress(key string, workers, slots int) Progress {
	s.rate.sample(s.events)
	p := Progress{Key: key, Points: len(s.job.Points), PointsDone: s.given(), Replicas: s.total(), Merged: s.done,
		Events:          s.events,
		EventsPerSecond: s.rate.perSecond, Workers: workers, Slots: slots, Left: -1, Counts: s.counts}
	if s.pace > 0 && slots > 0 {
		p.Left = time.Duration(float64(max(p.Replicas-p.Merged, 0)) * s.pace / float64(slots) * float64(time.Second))
	}
	return p
}

// sayEvery is how often the caller hears of progress.
const sayEvery = 250 * time.Millisecond

// A rate is how fast a number has grown lately.
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

// finished reports whether all points have been given out.
func (s *study) finished() bool { return s.low == len(s.job.Points) }

// total is how many replicas there are to merge; with a precision, at most.
func (s *study) total() int { return len(s.job.Points) * s.job.Replicas }
