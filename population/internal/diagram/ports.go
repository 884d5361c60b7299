package diagram

import (
	"cmp"
	"math"
	"slices"
)

// A port is where an edge touches the box of a state, which is given by its item.
type port struct{ edge, item int }

// ports finds the heights of all ports.
func (s *sheet) ports() map[port]float64 {
	all := map[port]float64{}
	for node := range s.g.Nodes {
		for _, links := range []side{leftLinks, rightLinks} {
			s.portsOf(node, links(&s.items[node]), all)
		}
	}
	return all
}

// portsOf finds the ports on one side of a state. Each is straight ahead of its line, or as near to
// that as the box and the room for those above and below it allow. The lines themselves are further
// apart than ports must be.
func (s *sheet) portsOf(node int, links []link, all map[port]float64) {
	links = slices.Clone(links)
	slices.SortFunc(links, func(a, b link) int { return cmp.Compare(s.position[a.to], s.position[b.to]) })
	half := s.shapes[node].height/2 - portMargin
	for k, l := range links {
		least := s.items[node].y - half + float64(k)*portStep
		most := s.items[node].y + half - float64(len(links)-1-k)*portStep
		all[port{s.items[l.to].of, node}] = min(max(s.items[l.to].y, least), most)
	}
}

// snap moves bends by a little to where they are straight ahead of a port. A line that is nearly
// straight looks like a mistake.
func (s *sheet) snap() {
	ports := s.ports()
	for edge, chain := range s.chains {
		if len(chain) == 0 {
			continue
		}
		end := len(chain) - 1
		left, right := math.NaN(), ports[port{edge, chain[end]}]
		points := slices.Clone(chain[:end])
		if s.items[chain[0]].role == state {
			left, points = ports[port{edge, chain[0]}], points[1:]
		}
		y, level := s.items[points[0]].y, s.level(points) == len(points)
		if level && (y == left || y == right) {
			continue // to make one end straight would bend the other
		}
		if s.snapStart(points, left) && level {
			continue
		}
		slices.Reverse(points)
		s.snapStart(points, right)
	}
}

// level tells how many of the bends, from the first on, are at one height.
func (s *sheet) level(bends []int) int {
	n := 1
	for n < len(bends) && s.items[bends[n]].y == s.items[bends[0]].y {
		n++
	}
	return n
}

// snapStart moves the first bends, as many as are level, to a height if it is near and they have
// the room.
func (s *sheet) snapStart(bends []int, y float64) bool {
	level := bends[:s.level(bends)]
	n, least, most := s.together(level)
	near := math.Abs(s.items[bends[0]].y-y) <= portStep
	if !near || n < len(level) || y < least || y > most {
		return false
	}
	for _, i := range level {
		s.items[i].y = y
	}
	return true
}
