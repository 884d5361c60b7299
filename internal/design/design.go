package design

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// A Point has a value of each axis.
type Point []string

// Kinds are the names of the sampling designs.
var Kinds = []string{"lhs", "sobol"}

// Grid returns all combinations of the values of the axes, the last axis changing fastest. No axis
// may be a range.
func Grid(axes []*Axis, most int) ([]Point, error) {
	if err := distinct(axes); err != nil {
		return nil, err
	}
	n := 1
	for _, a := range axes {
		if a.IsRange() {
			return nil, fmt.Errorf("%s is a range: say in which steps, as in %s=\"%s..%s by %s\", or how many points to sample",
				a.Name, a.Name, short(a.Low), a.Write(short(a.High)), short((a.High-a.Low)/4))
		}
		if n *= len(a.Values); n > most {
			return nil, fmt.Errorf("there would be %d points or more; %d are the most", n, most)
		}
	}
	points := make([]Point, n)
	for i := range points {
		p := make(Point, len(axes))
		for k, rest := len(axes)-1, i; k >= 0; k-- {
			values := axes[k].Values
			p[k] = values[rest%len(values)]
			rest /= len(values)
		}
		points[i] = p
	}
	return points, nil
}

// Sample returns n points: ranges are sampled by the design, and the values of lists occur equally
// often. The same seed gives the same points.
func Sample(axes []*Axis, kind string, n, most int, seed uint64) ([]Point, error) {
	switch {
	case n < 1 || n > most:
		return nil, fmt.Errorf("a sample of %d points; expected from 1 to %d", n, most)
	case len(axes) == 0:
		return nil, fmt.Errorf("a sample of what? Name something to vary")
	}
	if err := distinct(axes); err != nil {
		return nil, err
	}
	source := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	var units [][]float64
	switch kind {
	case "lhs":
		units = hypercube(n, len(axes), source)
	case "sobol":
		if len(axes) > MostSobol {
			return nil, fmt.Errorf("design sobol is for up to %d dimensions, and %d are varied; take lhs", MostSobol, len(axes))
		}
		units = Sobol(n, len(axes), source)
	default:
		return nil, fmt.Errorf("there is no design %q; there are lhs and sobol", kind)
	}
	points := make([]Point, n)
	for i, u := range units {
		points[i] = make(Point, len(axes))
		for k, a := range axes {
			points[i][k] = a.at(u[k])
		}
	}
	return points, nil
}

func distinct(axes []*Axis) error {
	seen := map[string]bool{}
	for _, a := range axes {
		if seen[a.Name] {
			return fmt.Errorf("%s is varied twice", a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// at is the value of an axis for a number in [0, 1). Numbers have six or seven digits of the
// range's length: more would only be noise.
func (a *Axis) at(u float64) string {
	switch {
	case !a.IsRange():
		return a.Values[min(int(u*float64(len(a.Values))), len(a.Values)-1)]
	case a.Whole:
		low, high := math.Ceil(a.Low), math.Floor(a.High)
		return a.Write(strconv.FormatFloat(min(low+math.Floor(u*(high-low+1)), high), 'f', 0, 64))
	}
	digits := max(0, 6-int(math.Floor(detmath.Log10(a.High-a.Low))))
	return a.Write(strconv.FormatFloat(a.Low+float64(u*(a.High-a.Low)), 'f', digits, 64))
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// hypercube is a Latin hypercube of n points in d dimensions: each of n slices of every dimension
// has one point [McKay79]. The position in the slice and the combination of slices are random.
//
// [McKay79]: where in its slice, and which slices come together, is random.
// [McKay79]: https://doi.org/10.1080/00401706.1979.10489755
func hypercube(n, d int, r *rand.Rand) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
	}
	for k := range d {
		for i, slice := range r.Perm(n) {
			// Rounding must not carry a point into the next slice.
			points[i][k] = min((float64(slice)+float64(r.Float64()))/float64(n), math.Nextafter(float64(slice+1)/float64(n), 0))
		}
	}
	return points
}
