package static

// sort puts in order a list whose top is fresh, and returns the link to its first event. All its
// links are positive then.
//
// It is a natural merge sort, as Algorithm 5 is, but it merges from the bottom up instead of
// recursing, finds falling runs as well as rising ones, and sorts only what is fresh before merging
// that with the rest. So one or two fresh events on an empty bucket take no merge, any number of
// them scheduled in order of time, or in reverse, take linear time, and n in random order n·log₂ n
// comparisons at most. Nothing is allocated.
func (q *Queue) sort(top int32) int32 {
	list, rest := q.run(top)
	if rest < 0 {
		// Like the digits of a binary counter: piles[i] is empty or has 2^i runs merged into one.
		// Runs come newest first, so a higher pile is newer than a lower. 32 piles are enough for
		// 2³² runs.
		var piles [32]int32
		piles[0] = list
		for rest < 0 {
			list, rest = q.run(rest)
			i := 0
			for ; piles[i] != 0; i++ {
				list = q.merge(list, piles[i])
				piles[i] = 0
			}
			piles[i] = list
		}
		list = 0
		for _, pile := range piles {
			list = q.merge(list, pile)
		}
	}
	return q.merge(rest, list)
}

// run takes a run, as long as it can be, from a list whose top is fresh. It returns the run in
// order, as a list of its own with positive links, and the link to the rest, which is negative
// while there are fresh events.
func (q *Queue) run(top int32) (first, rest int32) {
	at, next := q.at, q.next
	first = -top
	rest = next[first]
	if rest < 0 && at[first] < at[-rest] {
		// Later times below: they were scheduled in reverse order of time and lie in order. No two
		// are equal.
		last := first
		for rest < 0 && at[last] < at[-rest] {
			next[last] = -rest
			last = -rest
			rest = next[last]
			q.work.Traversed++
		}
		next[last] = 0
	} else {
		// Earlier or equal times below: they were scheduled in order of time, and must be turned
		// round, equals too.
		next[first] = 0
		for rest < 0 && at[-rest] <= at[first] {
			n := -rest
			rest = next[n]
			next[n] = first
			first = n
			q.work.Traversed++
		}
	}
	if rest < 0 {
		q.work.Traversed++ // the comparison that ended the run
	}
	return first, rest
}

// merge makes one sorted list of two that have positive links, and returns its first event. Of
// equal events those of older come first.
func (q *Queue) merge(older, newer int32) int32 {
	at, next := q.at, q.next
	last := int32(0) // next[0] belongs to no event: the list begins there
	for older != 0 && newer != 0 {
		if at[newer] < at[older] {
			next[last] = newer
			last = newer
			newer = next[newer]
		} else {
			next[last] = older
			last = older
			older = next[older]
		}
		q.work.Traversed++
	}
	if newer != 0 {
		older = newer
	}
	next[last] = older
	return next[0]
}
