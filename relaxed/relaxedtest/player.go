package relaxedtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// An element of a replay.
type element struct {
	key        float64
	begin, end int64 // of its insertion
	place      int32 // in the order of all elements, by key and end
	before     int32 // elements in the places below this one come before it for certain
	inserted   int64 // step of the replay at which its insertion ended
	overtaken  int32 // its delay; while it is in the queue, less those that had overtaken its place before
	known      bool  // there is an insertion of it
	begun      bool  // the insertion has begun
	removed    bool  // a removal of it has begun
	gone       bool  // and ended
}

// under is an operation under way.
type under struct {
	log     int // whose
	kind    Kind
	id      uint32
	before  int32 // as that of the element; of a failure, all places
	began   int64 // step
	certain int32 // elements before its own that were there all the time so far
	perhaps int32 // elements before its own that may have been there at some time
}

// A player replays a trace: it goes through all stamps in the order of time, and keeps count of
// what is in the queue.
type player struct {
	Report
	fills    int // how many of the logs are of the filling; they come first
	elements []element
	there    tree // by place: elements that are in the queue for certain, no removal of them has begun
	over     tree // by before: removals that have begun; all of them, for ever
	open     []under
	step     int64
	ranks    []int32
	delays   []int32
	atMost   int64
}

// collect lists the elements, and checks what can be checked in any order.
func (p *player) collect(t *Trace) error {
	all := slices.Concat(t.Fill, t.Logs)
	insertions := 0
	for _, log := range all {
		for _, o := range log {
			if o.Kind == Insertion {
				insertions++
			}
		}
	}
	p.elements = make([]element, insertions)
	for l, log := range all {
		last, fill := int64(math.MinInt64), l < p.fills
		for i, o := range log {
			switch {
			case o.Begin <= last || o.End < o.Begin || o.Begin < -latest || o.End > latest:
				return p.wrong(l, i, "is out of time: it takes from %d to %d, and the one before ends at %d", o.Begin, o.End, last)
			case o.Kind > Failure || fill && o.Kind != Insertion:
				return p.wrong(l, i, "is of kind %d, which has no place here", o.Kind)
			case o.Kind != Failure && uint64(o.ID) >= uint64(insertions):
				return p.wrong(l, i, "is about element %d, but only %d elements were inserted, and they are numbered from 0", o.ID,
					insertions)
			case o.Kind == Insertion && p.elements[o.ID].known:
				return p.wrong(l, i, "inserts element %d, which was inserted before", o.ID)
			case o.Kind == Insertion && math.IsNaN(o.Key):
				return p.wrong(l, i, "inserts element %d with a key that is not a number", o.ID)
			}
			last = o.End
			if o.Kind == Insertion {
				p.elements[o.ID] = element{key: o.Key, begin: o.Begin, end: o.End, known: true}
			}
		}
	}
	return nil
}

// latest is the largest time, so that twice as much is a number, too.
const latest = math.MaxInt64 / 4

// wrong says what is wrong with an operation of a log.
func (p *player) wrong(log, i int, format string, args ...any) error {
	where := "goroutine"
	if log >= p.fills {
		log -= p.fills
	} else {
		where = "the filling by goroutine"
	}
	return fmt.Errorf("relaxedtest: operation %d of %s %d %s", i, where, log, fmt.Sprintf(format, args...))
}

// sort gives the elements their places.
func (p *player) sort() {
	type item struct {
		key float64
		end int64
		id  uint32
	}
	items := make([]item, len(p.elements))
	for id, e := range p.elements {
		items[id] = item{e.key, e.end, uint32(id)}
	}
	slices.SortFunc(items, func(a, b item) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.end, b.end)
	})
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].key == items[from].key {
			to++
		}
		for i, it := range items[from:to] {
			e := &p.elements[it.id]
			// Of equal keys, those come before it whose insertions ended before its own began.
			earlier, _ := slices.BinarySearchFunc(items[from:to], e.begin, func(a item, begin int64) int {
				return cmp.Compare(a.end, begin)
			})
			e.place, e.before = int32(from+i), int32(from+earlier)
		}
		from = to
	}
	p.there = newTree(len(items))
	p.over = newTree(len(items) + 1)
}

// play goes through the stamps of all logs. At equal times beginnings come before ends: neither
// operation was over when the other one began.
func (p *player) play(t *Trace) error {
	var m merge
	for l, log := range slices.Concat(t.Fill, t.Logs) {
		m.add(l, log)
	}
	for len(m) > 0 {
		p.step++
		c := &m[0]
		o := &c.ops[0]
		if c.ended {
			if err := p.finish(c.log, c.index, o); err != nil {
				return err
			}
		} else if err := p.begin(c.log, c.index, o); err != nil {
			return err
		}
		m.next()
	}
	return nil
}

func (p *player) begin(log, i int, o *Operation) error {
	u := under{log: log, kind: o.Kind, id: o.ID, began: p.step}
	switch o.Kind {
	case Insertion:
		e := &p.elements[o.ID]
		e.begun = true
		for k := range p.open {
			if r := &p.open[k]; r.kind == Removal && e.place < r.before {
				r.perhaps++
			}
		}
	case Removal:
		e := &p.elements[o.ID]
		switch {
		case e.removed:
			return p.wrong(log, i, "removes element %d, which was removed before", o.ID)
		case e.key != o.Key:
			return p.wrong(log, i, "removes element %d with key %v, but it was inserted with key %v", o.ID, o.Key, e.key)
		}
		e.removed = true
		if e.inserted > 0 {
			p.take(e)
		}
		u.before = e.before
		u.certain = p.there.below(e.before)
		u.perhaps = u.certain + p.doubtful(e.before)
		p.over.add(e.before, 1)
	case Failure:
		u.before = int32(len(p.elements))
		u.certain = p.there.sum
	}
	p.open = append(p.open, u)
	return nil
}

// take takes an element out of those that are certainly there, because its removal begins.
func (p *player) take(e *element) {
	p.there.add(e.place, -1)
	e.overtaken += p.over.sum - p.over.below(e.place+1)
	for k := range p.open {
		// Removals under way do not overtake it for certain, and it may have been gone when they
		// took effect.
		if r := &p.open[k]; r.kind != Insertion && e.place < r.before && e.inserted < r.began {
			r.certain--
			if r.kind == Removal {
				e.overtaken--
			}
		}
	}
}

// doubtful counts the elements in places below one that others are inserting or removing.
func (p *player) doubtful(before int32) (n int32) {
	for k := range p.open {
		u := &p.open[k]
		if u.kind == Failure {
			continue
		}
		// One that is being inserted and removed at once is counted with its insertion.
		if e := &p.elements[u.id]; e.place < before && !e.gone && (u.kind == Insertion || e.inserted > 0) {
			n++
		}
	}
	return n
}

func (p *player) finish(log, i int, o *Operation) error {
	at := slices.IndexFunc(p.open, func(u under) bool { return u.log == log })
	u := p.open[at]
	p.open[at] = p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	switch o.Kind {
	case Insertion:
		if log >= p.fills {
			p.Insertions++
		}
		e := &p.elements[o.ID]
		e.inserted = p.step
		if !e.removed {
			p.there.add(e.place, 1)
			e.overtaken = p.over.below(e.place+1) - p.over.sum
		}
	case Removal:
		e := &p.elements[o.ID]
		if !e.begun {
			return p.wrong(log, i, "removes element %d, the insertion of which had not begun", o.ID)
		}
		e.gone = true
		p.Removals++
		p.ranks = append(p.ranks, u.certain)
		p.delays = append(p.delays, e.overtaken)
		p.atMost += int64(u.perhaps)
	case Failure:
		p.Failures++
		if u.certain > 0 {
			p.Missed++
		}
	}
	return nil
}

// end looks at what is left, and adds up.
func (p *player) end(t *Trace) error {
	for id := range p.elements {
		if e := &p.elements[id]; !e.removed {
			p.Left++
			p.LeftDelay = max(p.LeftDelay, int(e.overtaken+p.over.sum-p.over.below(e.place+1)))
		}
	}
	for i, o := range t.Drain {
		if o.Kind == Failure {
			continue
		}
		switch {
		case o.Kind != Removal:
			return fmt.Errorf("relaxedtest: operation %d of the draining is not a removal", i)
		case uint64(o.ID) >= uint64(len(p.elements)):
			return fmt.Errorf("relaxedtest: element %d was left, which had not been inserted", o.ID)
		case p.elements[o.ID].removed:
			return fmt.Errorf("relaxedtest: element %d was left, which had been removed before", o.ID)
		case p.elements[o.ID].key != o.Key:
			return fmt.Errorf("relaxedtest: element %d was left with key %v, but it was inserted with key %v", o.ID, o.Key,
				p.elements[o.ID].key)
		}
		p.elements[o.ID].removed = true
	}
	if len(t.Drain) > 0 {
		lost, first := 0, 0
		for id := range p.elements {
			if !p.elements[id].removed {
				if lost++; lost == 1 {
					first = id
				}
			}
		}
		if lost > 0 {
			return fmt.Errorf("relaxedtest: %d of %d elements were lost; the first is %d, with key %v",
				lost, len(p.elements), first, p.elements[first].key)
		}
	}
	p.Rank, p.Delay = summarize(p.ranks), summarize(p.delays)
	if p.Removals > 0 {
		p.MeanRankAtMost = float64(p.atMost) / float64(p.Removals)
	}
	return nil
}
