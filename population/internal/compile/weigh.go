package compile

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A weight is how much there is to work out for a parameter: how many parameters stand behind it, each counted as often as it is read, and
// how many of them stand for one another in a row. In tables and expressions a few lines can stand for billions.
type weight struct {
	size, depth int
	circular    bool // it stands for itself
	open        bool // it is being worked out
	// If it is too much, or something behind it is or stands for itself: the parameter with which that begins.
	bad string
}

// mostReads is how many parameters a value may be worked out from, each counted as often as it is read.
const mostReads = 1000

// weigh works out how much there is to a parameter, once.
func (s Scope) weigh(name string) *weight {
	if w, ok := s.weights[name]; ok {
		return w
	}
	return s.weighFrom(name, nil)
}

// weighFrom does so on the way from other parameters.
func (s Scope) weighFrom(name string, path []string) *weight {
	if w, ok := s.weights[name]; ok {
		if w.open { // it is on the path, and all that come after it there are in a circle with it
			for i := len(path) - 1; ; i-- {
				on := s.weights[path[i]]
				on.circular, on.bad = true, path[i]
				if path[i] == name {
					break
				}
			}
		}
		return w
	}
	w := &weight{open: true}
	s.weights[name] = w
	if p, ok := s.Parameter(name); ok {
		size, depth := s.weighValue(p.Value, append(path, name))
		w.size, w.depth = min(size, mostReads+1), depth
	}
	w.open = false
	if w.bad == "" && (w.size > mostReads || w.depth > syntax.MostSteps) {
		w.bad = name
	}
	return w
}

// weighValue is the weight of a value that is written out. Distributions are measured by their extents; in a table one of the entries is read.
func (s Scope) weighValue(v syntax.Value, path []string) (size, depth int) {
	switch {
	case v.Distribution != nil:
		return 0, 0
	case v.Name != "":
		w := s.weighFrom(v.Name, path)
		if on := s.weights[path[len(path)-1]]; on.bad == "" {
			on.bad = w.bad
		}
		return w.size + 1, w.depth + 1
	}
	v.Each(func(part syntax.Value) {
		n, d := s.weighValue(part, path)
		if v.Table != nil {
			size = max(size, n)
		} else {
			size = min(size+n, mostReads+1)
		}
		depth = max(depth, d)
	})
	return size, depth
}

// bearable tells whether a parameter can be worked out. If not, it says why, of the one with which it begins.
func (s Scope) bearable(name string) bool {
	w := s.weigh(name)
	if w.bad == "" {
		return true
	}
	p, _ := s.Parameter(w.bad)
	switch first := s.weights[w.bad]; {
	case first.circular:
		hint := ""
		if p.change > 1 { // an intervention's
			hint = "; what it becomes cannot be worked out from what it was: write it out, or give what it was a name of its own"
		}
		s.complain(p.Value, p.At, "%s: the parameter %s stands for itself%s", p.what, diag.Quote(w.bad), hint)
	case first.size > mostReads:
		s.complain(p.Value, p.At, "%s: it is worked out from more than %d parameters, each counted as often as it is read", p.what, mostReads)
	default:
		s.complain(p.Value, p.At, "%s: it is worked out from more than %d parameters in a row", p.what, syntax.MostSteps)
	}
	return false
}
