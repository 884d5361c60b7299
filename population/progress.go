package population

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// Who watches a run wants to see what has been recorded of it. A replica has room for all of its rows from the start, and a row that is
// recorded does not change any more; so whoever knows how many rows there are may read them while the next are being written, without a copy and
// without holding anybody. It costs the replica one atomic store a row.

// A live is a replica that has begun, for others to look at.
type live struct {
	began Run          // as it was before its first row, with room for all
	rows  atomic.Int64 // that are recorded
	ended atomic.Pointer[Run]
}

// watch makes a live of a run that has no rows yet. What says how long a tally is changes with each row, so it has its own.
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
	run.rec.Groups = make([]engine.RowCounts, len(l.began.rec.Groups))
	for g := range run.rec.Groups {
		run.rec.Groups[g] = l.began.rec.Groups[g].UpTo(run.m, rows)
	}
	return run
}

// watched are the replicas of a run; nil where one has not begun.
type watched struct {
	result Result // what is known before it begins
	began  time.Time
	lives  []atomic.Pointer[live]
}

// SoFar is what has been recorded until now: of each replica that has a row, the rows that it has, which do not change when the run
// goes on. The result is marked incomplete. It may be asked for at any time, also by other goroutines, and takes a microsecond a replica.
// It is nil if the progress is not of [Model.Run].
func (p Progress) SoFar() *Result {
	if p.watched == nil {
		return nil
	}
	r := p.watched.result
	r.Incomplete, r.Events, r.Seconds = true, p.Events, time.Since(p.watched.began).Seconds()
	for i := range p.watched.lives {
		l := p.watched.lives[i].Load()
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
