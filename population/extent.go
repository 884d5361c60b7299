package population

import "slices"

// Distributions hold distributions: in place, by an alias of YAML, or by the name of a parameter. By the last two a few lines can
// stand for billions. The limits are the same for all ways of writing them.
const (
	mostParts  = 1000 // distributions in one
	mostNested = 21   // of which each is in the one before
	mostSteps  = 100  // parameters of which each stands for the next
)

// An extent is how large a distribution is, with all that parameters stand for.
type extent struct {
	size, depth int
	bad         bool // it is too large, contains itself or holds one that does, and that has been said
	open        bool // it is being worked out
	via         string
	heaviest    *extent // of its parts, the parameter that it goes by if it has a name, and how large it is
}

// holds tells whether a distribution can be worked out: whether it has an end, and is not too large. If not, that has been said.
func (s scope) holds(v value, what string) bool { return !s.extent(v, what, nil).bad }

// extent works out how large a distribution is, once for each that is written. The path has the parameters by which it was come to, ""
// for what stands in place.
func (s scope) extent(v value, what string, path []string) *extent {
	if e, ok := s.extents[v.law]; ok {
		if e.open {
			s.complain(v, v.at, "%s: a distribution cannot contain itself%s", what, byWay(path))
			e.bad = true
		}
		return e
	}
	e := &extent{size: 1, depth: 1, open: true}
	s.extents[v.law] = e
	for _, p := range v.law.parts {
		part, at, via := s.follow(p.of, what+": of")
		if part.law == nil {
			continue
		}
		var inner *extent
		if len(path) < mostParts { // far above what is allowed, so that what is reported is the first that is too deep
			inner = s.extent(part, at, append(path, via))
		} else {
			inner = &extent{size: 1, depth: mostNested}
		}
		e.bad = e.bad || inner.bad
		e.size = min(e.size+inner.size, mostParts+1)
		e.depth = max(e.depth, inner.depth+1)
		if e.heaviest == nil || inner.size+inner.depth > e.heaviest.size+e.heaviest.depth {
			e.heaviest, e.via = inner, via
		}
	}
	e.open = false
	switch {
	case e.bad:
	case e.depth > mostNested:
		s.complain(v, v.at, "%s: distributions are nested too deeply%s", what, e.chain())
		e.bad = true
	case e.size > mostParts:
		s.complain(v, v.at, "%s: more than %d distributions in one%s", what, mostParts, e.chain())
		e.bad = true
	}
	return e
}

// follow is what a value stands for, how to speak of it, and the last of the names by which it goes there.
func (s scope) follow(v value, what string) (value, string, string) {
	via := ""
	for steps := 0; v.name != "" && steps <= mostSteps; steps++ {
		p, ok := s.parameter(v.name)
		if !ok {
			break
		}
		via = v.name
		v, what = p.value, p.what
	}
	if v.law != nil && v.law.family != "" {
		what += ": " + v.law.family
	}
	return v, what, via
}

// chain lists the parameters by which a distribution becomes as large as it is.
func (e *extent) chain() string {
	var path []string
	for ; e.heaviest != nil; e = e.heaviest {
		path = append(path, e.via)
	}
	return byWay(path)
}

// byWay names the parameters of a path.
func byWay(path []string) string {
	names := slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return ""
	}
	return ", by way of the " + things(len(names), "parameter") + " " + some(names)
}
