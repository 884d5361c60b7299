package sim

import "sort"

// fifo is a queue in a ring that grows. It can be kept in another order than that of arrival.
type fifo[T any] struct {
	ring []T // its length is 0 or a power of two
	head int
	n    int
}

func (q *fifo[T]) len() int { return q.n }

// at is the i-th from the oldest.
func (q *fifo[T]) at(i int) T { return q.ring[(q.head+i)&(len(q.ring)-1)] }

func (q *fifo[T]) push(v T) {
	if q.n == len(q.ring) {
		bigger := make([]T, max(8, 2*q.n))
		for i := range q.n {
			bigger[i] = q.at(i)
		}
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = v
	q.n++
}

// insert puts v behind all that are not greater, among those that are in order.
func (q *fifo[T]) insert(v T, compare func(a, b T) int) {
	i := sort.Search(q.n, func(i int) bool { return compare(q.at(i), v) > 0 })
	q.push(v)
	mask := len(q.ring) - 1
	for j := q.n - 1; j > i; j-- {
		q.ring[(q.head+j)&mask] = q.ring[(q.head+j-1)&mask]
	}
	q.ring[(q.head+i)&mask] = v
}

// remove takes out the i-th from the oldest, and moves those that are older.
func (q *fifo[T]) remove(i int) T {
	mask := len(q.ring) - 1
	v := q.at(i)
	for ; i > 0; i-- {
		q.ring[(q.head+i)&mask] = q.ring[(q.head+i-1)&mask]
	}
	var none T
	q.ring[q.head] = none // so that nothing is kept alive
	q.head = (q.head + 1) & mask
	q.n--
	return v
}
