package dispatch

import "fmt"

// A Policy decides which worker a request goes to, and when.
type Policy struct {
	Name, About string

	new func(*cluster) policy
	// most is how large a load it can bear, as a share of what the workers can do; nil if that is
	// all of it, or not known.
	most func(*load) float64
}

// policy is one at work. It calls cluster.begin when an idle worker is to begin a request.
type policy interface {
	arrive(i int32)    // request i has come
	finish(w, i int32) // worker w, which is idle now, is done with request i
}

// Names that others refer to.
const (
	Central = "central"
	Random  = "random"
)

// dispatchers is how many there are that do not know of each other.
const dispatchers = 16

// Policies lists them.
func Policies() []Policy {
	all := []Policy{
		{Name: Random, About: "a random worker; wait there", new: func(c *cluster) policy { return newPushed(c, anyWorker) },
			most: equalShares},
		{Name: "round-robin", About: "one worker after the other; wait there", new: newRoundRobin, most: equalShares},
		{
			Name: "two-choices", About: "the shorter queue of two random workers; wait there",
			new: func(c *cluster) policy { return newPushed(c, shorterOfTwo) },
		},
		{
			Name: "two-choices-local",
			About: fmt.Sprintf("%d dispatchers: the one of two random workers at which the dispatcher has fewer requests "+
				"of its own", dispatchers),
			new: func(c *cluster) policy { return newLocal(c, dispatchers) },
		},
		{Name: "least-loaded", About: "a shortest queue of all; wait there",
			new: newShortest},
	}
	for c := 1; c <= 3; c++ {
		all = append(all, Policy{
			Name: fmt.Sprintf("capped-rounds-%d", c), About: "in rounds, as in the paper: every waiting request asks a " +
				"worker, which takes the oldest that fit",
			new:  func(k *cluster) policy { return newRounds(k, c) },
			most: func(l *load) float64 { return saturated(l, c) },
		})
	}
	for c := 1; c <= 3; c++ {
		all = append(all, Policy{
			Name: fmt.Sprintf("capped-%d", c), About: "dispatch.Dispatcher: a free slot goes to the oldest request; an " +
				"idle worker takes the oldest not begun elsewhere",
			new: func(k *cluster) policy { return newEventDriven(k, c) },
		})
	}
	for c := 2; c <= 3; c++ {
		all = append(all, Policy{
			Name: fmt.Sprintf("jbsq-%d", c), About: "join the bounded shortest queue: a free slot at the worker with the " +
				"fewest goes to the oldest request; wait there",
			new: func(k *cluster) policy { return newBounded(k, c) },
		})
	}
	return append(all, Policy{Name: Central, About: "one queue for all workers; an idle worker takes the oldest",
		new: newCentral})
}

// find is the policy of a name.
func find(name string) (Policy, error) {
	for _, p := range Policies() {
		if p.Name == name {
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("dispatch: there is no policy %q", name)
}

// A line is requests in the order in which they came to it.
type line struct{ first, last int32 }

// lines are linked through the requests, each of which is in one line at most.
type lines struct {
	next []int32
	all  []line
}

func newLines(c *cluster, n int) lines {
	l := lines{make([]int32, len(c.load.comes)), make([]line, n)}
	for i := range l.all {
		l.all[i] = line{none, none}
	}
	return l
}

func (l *lines) push(at, i int32) {
	q := &l.all[at]
	l.next[i] = none
	if q.first == none {
		q.first = i
	} else {
		l.next[q.last] = i
	}
	q.last = i
}

func (l *lines) pop(at int32) int32 {
	q := &l.all[at]
	i := q.first
	if i != none {
		q.first = l.next[i]
	}
	return i
}
