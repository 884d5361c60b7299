package relaxedtest

import "container/heap"

// A tree holds numbers in places, and tells the sum of those below one: a Fenwick tree.
type tree struct {
	sums []int32
	sum  int32 // of all
}

func newTree(places int) tree { return tree{sums: make([]int32, places+1)} }

func (t *tree) add(place, x int32) {
	t.sum += x
	for i := int(place) + 1; i < len(t.sums); i += i & -i {
		t.sums[i] += x
	}
}

func (t *tree) below(place int32) (sum int32) {
	for i := place; i > 0; i &= i - 1 {
		sum += t.sums[i]
	}
	return sum
}

// A merge is a heap of logs, ordered by the next timestamp of each.
type merge []cursor

type cursor struct {
	due   int64 // twice the time, and 1 more for an end
	log   int
	index int
	ended bool // the next timestamp is the end of ops[0]
	ops   []Operation
}

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return m[i].due < m[j].due }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(cursor)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

func (m *merge) add(log int, ops []Operation) {
	if len(ops) > 0 {
		heap.Push(m, cursor{due: 2 * ops[0].Begin, log: log, ops: ops})
	}
}

// next moves the first log on.
func (m *merge) next() {
	switch c := &(*m)[0]; {
	case !c.ended:
		c.ended, c.due = true, 2*c.ops[0].End+1
	case len(c.ops) > 1:
		c.ended, c.due, c.ops = false, 2*c.ops[1].Begin, c.ops[1:]
		c.index++
	default:
		heap.Pop(m)
		return
	}
	heap.Fix(m, 0)
}
