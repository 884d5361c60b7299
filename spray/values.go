package spray

import (
	"reflect"

	"github.com/almanac-sim/almanac/internal/interleave"
)

// The one who removes an element has its value, and has the node forget it at once, so that the list keeps nothing alive that has
// left it. Only Search reads the values of elements that others may remove at the same time. So it says so, in the node's state: then the last of those who read it
// and the one who removes it has the node forget it. Where values do not point to anything there is nothing to forget, and nobody has to say so.

// read is the value of a node, if it is alive.
func (l *List[K, V]) read(n *node[K, V]) (value V, ok bool) {
	if !l.clears {
		return n.value, n.state.Load()&alive != 0
	}
	for {
		state := n.state.Load()
		if state&alive == 0 {
			return value, false
		}
		if n.state.CompareAndSwap(state, state+reader) {
			break
		}
	}
	interleave.Point()
	value = n.value
	l.unread(n)
	return value, true
}

// unread is said by one who has read a value.
func (l *List[K, V]) unread(n *node[K, V]) {
	if state := n.state.Add(^uint64(reader - 1)); state&alive == 0 && state < reader {
		var value V
		n.value = value
	}
}

// release is the value of a node that the caller has claimed when it was in a state.
func (l *List[K, V]) release(n *node[K, V], state uint64) V {
	v := n.value
	if l.clears {
		if state < reader {
			var value V
			n.value = value
		} else {
			interleave.Point()
			l.unread(n)
		}
	}
	return v
}

// points says whether values of a type may point to something.
func points(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k <= reflect.Complex128:
		return false
	case k == reflect.Array:
		return t.Len() > 0 && points(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if points(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
