package dispatch

// levels are workers by how much they have, so that one with the least is found in the time that it takes to count up to that.
type levels struct {
	by    [][]int32 // by load
	level []int32   // of a worker
	at    []int     // where in it
}

func newLevels(n int) *levels {
	l := &levels{by: make([][]int32, 1), level: make([]int32, n), at: make([]int, n)}
	for w := range n {
		l.at[w] = w
		l.by[0] = append(l.by[0], int32(w))
	}
	return l
}

// least is any of the workers that have the least.
func (l *levels) least(c *cluster) int32 {
	for _, some := range l.by {
		if len(some) > 0 {
			return some[c.below(len(some))]
		}
	}
	panic("dispatch: there are no workers")
}

// move says how much a worker has now.
func (l *levels) move(w, load int32) {
	old := l.by[l.level[w]]
	last := old[len(old)-1]
	old[l.at[w]], l.at[last] = last, l.at[w]
	l.by[l.level[w]] = old[:len(old)-1]
	for int(load) >= len(l.by) {
		l.by = append(l.by, nil)
	}
	l.level[w], l.at[w] = load, len(l.by[load])
	l.by[load] = append(l.by[load], w)
}
