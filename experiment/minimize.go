package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/almanac-sim/almanac/ensemble"
)

// An Integer is an integer parameter from Low to High.
type Integer struct {
	Name      string
	Low, High int // from −10⁹ to 10⁹
	Start     int // of the search
}

// MinimizeOptions configure [Minimize].
type MinimizeOptions struct {
	Replicas int    // budget over all points, which determines the duration
	First    int    // replicas of each point in the first round; 0 means 8
	Largest  bool   // maximise instead
	Seed     uint64 // of the search directions; observations have their own
}

// An Optimum is the result of [Minimize].
type Optimum struct {
	Point    ensemble.Params
	Value    Interval // 95 % interval of its mean, not corrected for selection
	Local    bool     // no neighbour was better in the last finished round
	Rounds   int      // finished
	Points   int      // that were visited
	Replicas int      // in total
}

// Minimize searches for the integers with the smallest mean, by R-SPLINE. In each round all points
// have the same replicas, one and a half times as many as in the round before, so that a round
// minimises a deterministic function; it starts where the last one ended. The gradient at a point
// is that of a piecewise linear interpolation near it. Steps along it double while they improve;
// then all neighbours at distance 1 are checked. A round ends at a point that is not worse than its
// neighbours.
//
// It finds a local minimum with probability 1 as the number of replicas grows. Common random
// numbers reduce the number of replicas. It stops when the next observations would exceed the
// budget, so the result does not depend on speed.
//
// The source is H. Wang, R. Pasupathy and B. W. Schmeiser, Integer-ordered simulation optimization
// using R-SPLINE, ACM Transactions on Modeling and Computer Simulation 23 (2013); the growth rates
// of replicas and steps are ours.
func Minimize(ctx context.Context, source Source, box []Integer, o MinimizeOptions) (Optimum, error) {
	if o.First == 0 {
		o.First = 8
	}
	if err := checkBox(box, o); err != nil {
		return Optimum{}, err
	}
	s := &search{source: source, box: box, o: o, seen: map[string]*visited{},
		random: rand.New(rand.NewPCG(o.Seed, 0x52d5_391e))}
	x := make([]int, len(box))
	for i, w := range box {
		x[i] = w.Start
	}
	best, local := x, false
	for s.n = o.First; ; s.n += (s.n + 1) / 2 {
		found, err := s.round(ctx, best)
		if errors.Is(err, errSpent) {
			if s.result.Rounds == 0 && found != nil {
				best = found
			}
			break
		}
		if err != nil {
			return Optimum{}, err
		}
		best, local = found, true
		s.result.Rounds++
	}
	v := s.seen[key(best)]
	s.result.Point, s.result.Local, s.result.Points = s.params(best), local, len(s.seen)
	if v == nil || len(v.values) < 2 {
		return s.result, fmt.Errorf("experiment: %d replicas are too few to look at one point and its neighbours", o.Replicas)
	}
	s.result.Value = interval(v.values, 0.95)
	if o.Largest {
		s.result.Value.Mean *= -1
	}
	return s.result, nil
}

// maxInteger bounds the integers.
const maxInteger = 1_000_000_000

func checkBox(box []Integer, o MinimizeOptions) error {
	if len(box) == 0 {
		return errors.New("experiment: there is nothing to vary")
	}
	for i, w := range box {
		if w.Low < -maxInteger || w.High > maxInteger {
			return fmt.Errorf("experiment: %q from %d to %d; both must be from %d to %d", w.Name, w.Low, w.High, -maxInteger,
				maxInteger)
		}
		if w.Low > w.Start || w.Start > w.High || w.Name == "" || slices.ContainsFunc(box[:i], func(other Integer) bool {
			return other.Name == w.Name
		}) {
			return fmt.Errorf("experiment: %q from %d to %d, beginning at %d; it needs a name of its own, and to begin "+
				"between the two", w.Name, w.Low, w.High, w.Start)
		}
	}
	if o.First < 2 || o.Replicas < o.First {
		return fmt.Errorf("experiment: %d replicas of each point, and %d of all; there must be at least 2 of each, and "+
			"not fewer of all", o.First, o.Replicas)
	}
	return nil
}

// errSpent means that the budget is spent.
var errSpent = errors.New("experiment: all replicas are spent")

// A search is a minimisation in progress.
type search struct {
	source Source
	box    []Integer
	o      MinimizeOptions
	random *rand.Rand
	n      int // replicas of each point in this round
	seen   map[string]*visited
	result Optimum
}

// visited has the observations of a point.
type visited struct {
	values []float64
	mean   float64 // of the first n of them
	n      int
}

func key(x []int) string { return fmt.Sprint(x) }

func (s *search) params(x []int) ensemble.Params {
	p := ensemble.Params{}
	for i, w := range s.box {
		p[w.Name] = float64(x[i])
	}
	return p
}

// inside reports whether a point is in the box.
func (s *search) inside(x []int) bool {
	for i, w := range s.box {
		if x[i] < w.Low || x[i] > w.High {
			return false
		}
	}
	return true
}

// means returns the means of this round's replicas at points of the box. Missing replicas are
// observed with as few calls as possible, so that many points run at once.
func (s *search) means(ctx context.Context, points ...[]int) ([]float64, error) {
	missing := map[int][]int{} // points by their number of replicas
	cost := 0
	asked := map[string]bool{}
	for i, x := range points {
		v := s.seen[key(x)]
		if v == nil {
			v = new(visited)
			s.seen[key(x)] = v
		}
		if have := len(v.values); have < s.n && !asked[key(x)] {
			asked[key(x)] = true
			missing[have] = append(missing[have], i)
			cost += s.n - have
		}
	}
	if s.result.Replicas+cost > s.o.Replicas {
		for k, v := range s.seen {
			if len(v.values) == 0 {
				delete(s.seen, k)
			}
		}
		return nil, errSpent
	}
	s.result.Replicas += cost
	for _, have := range sortedKeys(missing) {
		which := missing[have]
		params := make([]ensemble.Params, len(which))
		for k, i := range which {
			params[k] = s.params(points[i])
		}
		values, err := s.source.observe(ctx, params, have, s.n-have)
		if err != nil {
			return nil, err
		}
		for k, i := range which {
			v := s.seen[key(points[i])]
			for _, y := range values[k] {
				if s.o.Largest {
					y = -y
				}
				v.values = append(v.values, y)
			}
		}
	}
	means := make([]float64, len(points))
	for i, x := range points {
		v := s.seen[key(x)]
		if v.n != s.n {
			v.n, v.mean = s.n, 0
			for k, y := range v.values[:s.n] {
				v.mean += (y - v.mean) / float64(k+1)
			}
		}
		means[i] = v.mean
	}
	return means, nil
}

func sortedKeys(m map[int][]int) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// round moves from a point to one that is not worse than its neighbours with this round's replicas.
// If the budget is spent, it returns the point it has reached.
func (s *search) round(ctx context.Context, x []int) ([]int, error) {
	for {
		y, err := s.descend(ctx, x)
		if err != nil {
			return y, err
		}
		z, better, err := s.neighbors(ctx, y)
		if err != nil || !better {
			return z, err
		}
		x = z
	}
}

// neighbors returns the best point at distance 1, if it is better.
func (s *search) neighbors(ctx context.Context, x []int) (best []int, better bool, err error) {
	points := [][]int{x}
	for i := range x {
		for _, step := range []int{1, -1} {
			y := slices.Clone(x)
			if y[i] += step; s.inside(y) {
				points = append(points, y)
			}
		}
	}
	means, err := s.means(ctx, points...)
	if err != nil {
		return x, false, err
	}
	k := least(means)
	return points[k], k > 0, nil
}

// descend follows the gradient while that improves.
func (s *search) descend(ctx context.Context, x []int) ([]int, error) {
	for {
		start, slope, err := s.slope(ctx, x)
		if err != nil || slope == nil {
			return start, err
		}
		norm := 0.0
		for _, g := range slope {
			norm += float64(g * g)
		}
		if norm = math.Sqrt(norm); norm == 0 {
			return start, nil
		}
		at, moved := start, false
		for step := 2.0; ; step *= 2 {
			y := make([]int, len(x))
			for i := range y {
				y[i] = int(math.Round(max(-2*maxInteger, min(2*maxInteger, float64(start[i])-step*slope[i]/norm))))
			}
			if !s.inside(y) || slices.Equal(y, at) {
				break
			}
			means, err := s.means(ctx, at, y)
			if err != nil {
				return at, err
			}
			if !(means[1] < means[0]) {
				break
			}
			at, moved = y, true
		}
		if x = at; !moved {
			return x, nil
		}
	}
}

// slope is the gradient of the linear interpolation between the corners of the simplex around a
// point near x, and the best of the corners and x. It is nil if a corner is outside the box.
func (s *search) slope(ctx context.Context, x []int) ([]int, []float64, error) {
	d := len(x)
	corner, part, order := make([]int, d), make([]float64, d), make([]int, d)
	for i := range x {
		near := float64(x[i]) + float64(0.6*(float64(s.random.Float64())-0.5))
		floor := math.Floor(near)
		corner[i], part[i], order[i] = int(floor), near-floor, i
	}
	slices.SortStableFunc(order, func(a, b int) int { // largest fractional part first
		switch {
		case part[a] > part[b]:
			return -1
		case part[a] < part[b]:
			return 1
		}
		return 0
	})
	points := [][]int{x, slices.Clone(corner)}
	for _, i := range order {
		corner[i]++
		points = append(points, slices.Clone(corner))
	}
	for _, p := range points {
		if !s.inside(p) {
			_, err := s.means(ctx, x)
			return x, nil, err
		}
	}
	means, err := s.means(ctx, points...)
	if err != nil {
		return x, nil, err
	}
	slope := make([]float64, d)
	for k, i := range order {
		slope[i] = means[k+2] - means[k+1]
	}
	return points[least(means)], slope, nil
}

// least is the index of the smallest, the first of equals.
func least(x []float64) int {
	k := 0
	for i, y := range x {
		if y < x[k] {
			k = i
		}
	}
	return k
}
