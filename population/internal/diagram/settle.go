package diagram

import "slices"

// A want is a place where something would like to be, and how much.
type want struct{ at, weight float64 }

// A compromise makes one place out of many wants.
type compromise func([]want) float64

// mean is the place with the least sum of squared distances: everyone yields a little.
func mean(wants []want) float64 {
	sum, weight := 0.0, 0.0
	for _, w := range wants {
		sum += w.at * w.weight
		weight += w.weight
	}
	return sum / weight
}

// median is the place with the least sum of distances: the majority gets what it wants exactly, so lines become
// straight where the mean would leave them slightly bent.
func median(wants []want) float64 {
	sorted := slices.Clone(wants)
	slices.SortStableFunc(sorted, func(a, b want) int {
		if a.at < b.at {
			return -1
		} else if a.at > b.at {
			return 1
		}
		return 0
	})
	half := 0.0
	for _, w := range sorted {
		half += w.weight / 2
	}
	for _, w := range sorted {
		if half -= w.weight; half <= 0 {
			return w.at
		}
	}
	return sorted[len(sorted)-1].at
}

// A group is some neighbours that lie as closely together as they may and so move as one.
type group struct {
	first int
	wants []want // of all members, each as a place of the first
	at    float64
}

// settle finds places for things in a row that keep their order and gaps and are near what they want. gaps[i] is the
// least distance from thing i to the one after it.
//
// It is isotonic regression by pooling neighbours that would pass each other (Ayer and others 1955), after the gaps
// are subtracted from the places.
func settle(wants [][]want, gaps []float64, agree compromise) []float64 {
	offsets := make([]float64, len(wants))
	var groups []group
	for i := range wants {
		if i > 0 {
			offsets[i] = offsets[i-1] + gaps[i-1]
		}
		g := group{first: i}
		for _, w := range wants[i] {
			g.wants = append(g.wants, want{w.at - offsets[i], w.weight})
		}
		g.at = agree(g.wants)
		for len(groups) > 0 && groups[len(groups)-1].at > g.at {
			upper := groups[len(groups)-1]
			groups = groups[:len(groups)-1]
			g = group{first: upper.first, wants: append(upper.wants, g.wants...)}
			g.at = agree(g.wants)
		}
		groups = append(groups, g)
	}
	places := make([]float64, len(wants))
	for k, g := range groups {
		end := len(wants)
		if k+1 < len(groups) {
			end = groups[k+1].first
		}
		for i := g.first; i < end; i++ {
			places[i] = g.at + offsets[i]
		}
	}
	return places
}
