package population

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// Reading rows while a run goes on. A recording has room for all rows from the start, and a
// recorded row does not change. So a reader that knows the number of rows may read them while the
// next is written, without a copy and without a lock. It costs the run one atomic store for each
// row.

// A live is a replica that has begun.
type live struct {
	began Run          // before its first row, with room for all
	rows  atomic.Int64 // recorded so far
	ended atomic.Pointer[Run]
}

// watch returns a live of a run without rows. It has its own slice headers, since those of the run
// change with each row.
func (run *Run) watch() *live {
	l := &live{began: *run}
	l.began.rec.Groups = slices.Clone(run.rec.Groups)
	return l
}

// soFar is the run as it is now. It does not change when the replica goes on.
func (l *live) soFar() Run {
	if run := l.ended.Load(); run != nil {
		return *run
	}
	rows, run := int(l.rows.Load()), l.began
	run.rec.Rows = rows
	run.rec.All = l.began.rec.All.UpTo(run.m, rows)
	run.rec.Supplies = l.began.rec.Supplies[:rows*len(run.m.Supplies)]
	run.rec.Places = l.began.rec.Places[:rows*len(run.m.Places)]
	run.rec.Queues = l.began.rec.Queues[:rows*len(run.m.Waits())]
	run.rec.Networks = l.began.rec.Networks[:rows*len(run.m.Networks)]
	run.rec.Groups = make([]engine.RowCounts, len(l.began.rec.Groups))
	for g := range run.rec.Groups {
		run.rec.Groups[g] = l.began.rec.Groups[g].UpTo(run.m, rows)
	}
	return run
}

// watched are the replicas of a run; nil where one has not begun.
type watched struct {
	result Result // what is known from the beginning
	began  time.Time
	live   []atomic.Pointer[live]
}

// SoFar returns what has been recorded until now: the rows of each replica that has one. They do
// not change when the run goes on. The result is marked incomplete. It may be called at any time,
// also by other goroutines, and takes a microsecond for each replica. It is nil if the progress is
// not that of [Model.Run].
func (p Progress) SoFar() *Result {
	if p.watched == nil {
		return nil
	}
	r := p.watched.result
	r.Incomplete, r.Events, r.Seconds = true, p.Events, time.Since(p.watched.began).Seconds()
	for i := range p.watched.live {
		l := p.watched.live[i].Load()
		if l == nil {
			continue
		}
		if l.ended.Load() != nil {
			r.Done++
		}
		if run := l.soFar(); run.rec.Rows > 0 {
			r.Runs = append(r.Runs, run)
		}
	}
	return &r
}
