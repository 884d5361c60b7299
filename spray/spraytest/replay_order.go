package spraytest

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

// A merge is a heap of logs, ordered by the next stamp of each.
type merge []cursor

type cursor struct {
	due   int64 // twice the time, and 1 more for an end
	log   int
	index int
	ended bool // the next stamp is the end of ops[0]
	ops   []Operation
}

func (m *merge) add(log int, ops []Operation) {
	if len(ops) == 0 {
		return
	}
	*m = append(*m, cursor{due: 2 * ops[0].Begin, log: log, ops: ops})
	for i := len(*m) - 1; i > 0; i = (i - 1) / 2 {
		if a, b := &(*m)[i], &(*m)[(i-1)/2]; a.due < b.due {
			*a, *b = *b, *a
		}
	}
}

// next moves the first log on.
func (m *merge) next() {
	h := *m
	c := &h[0]
	if !c.ended {
		c.ended = true
		c.due = 2*c.ops[0].End + 1
	} else {
		c.ended = false
		c.ops = c.ops[1:]
		c.index++
		if len(c.ops) > 0 {
			c.due = 2 * c.ops[0].Begin
		} else {
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
			*m = h
		}
	}
	for i := 0; ; {
		least := 2*i + 1
		if least >= len(h) {
			break
		}
		if least+1 < len(h) && h[least+1].due < h[least].due {
			least++
		}
		if h[i].due <= h[least].due {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
