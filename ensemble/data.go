package ensemble

import "errors"

// What replicas give beside numbers goes through the same messages: after the numbers come the
// bytes of each replica, one after the other, and the head has their sizes.

// sizes are the lengths of some bytes, or nothing if all are empty.
func sizes(data [][]byte) []int {
	all, any := make([]int, len(data)), false
	for i, d := range data {
		all[i] = len(d)
		any = any || len(d) > 0
	}
	if !any {
		return nil
	}
	return all
}

// splitData takes the data from the end of a body, and returns the rest.
func (r *result) splitData(body []byte) (rest []byte, err error) {
	if len(r.Sizes) == 0 {
		return body, nil
	}
	total := 0
	for _, n := range r.Sizes {
		if n < 0 || n > len(body)-total {
			return nil, errors.New("a message that is cut short")
		}
		total += n
	}
	rest, tail := body[:len(body)-total], body[len(body)-total:]
	for _, n := range r.Sizes {
		r.data = append(r.data, tail[:n:n])
		tail = tail[n:]
	}
	return rest, nil
}

// replicas is how many a result has.
func (r *result) replicas() (n int) {
	for _, p := range r.Pieces {
		n += p.Count
	}
	return n
}

// addData adds the data of the replica that was added last. As long as there is none, nothing is
// kept.
func (r *result) addData(data []byte) {
	if r.data == nil && len(data) == 0 {
		return
	}
	for len(r.data) < r.replicas()-1 {
		r.data = append(r.data, nil)
	}
	r.data = append(r.data, data)
}

// size is how much memory a result that waits takes, its data included, in numbers of 8 bytes.
func (w *waiting) size() int {
	n := len(w.numbers)
	for _, d := range w.data {
		n += len(d) / 8
	}
	return n
}

// hand gives a replica that is being merged to whoever wants to have them all.
func (s *study) hand(w waiting, i int) {
	if s.o.Replica == nil || s.problem != nil {
		return
	}
	each, named := 1+len(w.names)+w.series, 1+len(w.names)
	numbers := w.numbers[i*each:][:each]
	v := Values{Names: w.names, Numbers: numbers[1:named:named], Series: numbers[named:], Events: uint64(numbers[0])}
	if w.data != nil {
		v.Data = w.data[i]
	}
	s.problem = s.o.Replica(w.Point, w.First+i, v)
}
