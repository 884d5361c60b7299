package sim

import (
	"fmt"
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/store"

	sketches "github.com/almanac-sim/almanac/internal/sketch"
)

// A StatOption says what a [Tally] or a [Level] keeps besides its moments.
type StatOption func(*statOptions)

type statOptions struct{ accuracy float64 }

// Quantiles makes a [Tally] or a [Level] able to answer Quantile, to within a share of the true value: with 0.01 a quantile of
// 250 is told as something between 247.5 and 252.5. An observation then costs tens of nanoseconds instead of a few, and the
// memory grows with the logarithm of the range of the values over the accuracy, not with their number. Values beyond ±10³⁰⁸ are
// taken for that. It panics if the accuracy is not between a millionth and 1.
func Quantiles(relativeAccuracy float64) StatOption {
	// The library numbers buckets in 32 bits, and with finer ones they would not reach over all numbers.
	if !(relativeAccuracy >= 1e-6 && relativeAccuracy < 1) {
		panic(fmt.Sprintf("sim: Quantiles(%v): a relative accuracy is between a millionth and 1, such as 0.01", relativeAccuracy))
	}
	return func(o *statOptions) { o.accuracy = relativeAccuracy }
}

// newSketch is what the options want: a sketch of the values, or nil.
func newSketch(opts []StatOption) *sketch {
	var o statOptions
	for _, option := range opts {
		option(&o)
	}
	if o.accuracy == 0 {
		return nil
	}
	buckets, err := sketches.Mapping(o.accuracy)
	if err != nil {
		panic("sim: " + err.Error()) // Quantiles has checked the accuracy
	}
	return &sketch{dd: ddsketch.NewDDSketchFromStoreProvider(buckets, store.DefaultProvider)}
}

// A sketch holds weighted values in buckets that are as wide as the relative accuracy allows [DDSketch].
//
// The library's own quantile counts ranks from 0 to n−1, which has no meaning for weights that are durations: all that happens
// within one unit of time would be the first rank. Hence rank and valueAbove here.
//
// [DDSketch]: https://doi.org/10.14778/3352063.3352135
type sketch struct {
	dd   *ddsketch.DDSketch
	upTo float64 // of a level: up to when its path is there
}

// mostSketched is a little less than where the library's buckets end.
const mostSketched = 1e308

func (k *sketch) add(x, weight float64) {
	if err := k.dd.AddWithCount(max(-mostSketched, min(x, mostSketched)), weight); err != nil {
		panic("sim: " + err.Error()) // x is finite and the weight not negative
	}
}

// addUpTo takes the path of a level up to now in. The sketch has a time of its own, so that asking for a quantile does not part a
// stretch of the path for the moments, whose last digits would change.
func (k *sketch) addUpTo(now, x float64) {
	k.add(x, now-k.upTo)
	k.upTo = now
}

// valueAbove is the lowest value v such that those up to v weigh more than the rank.
func (k *sketch) valueAbove(rank float64) float64 {
	negative, positive := k.dd.GetNegativeValueStore(), k.dd.GetPositiveValueStore()
	below := negative.TotalCount()
	if rank < below {
		return -k.dd.Value(negative.KeyAtRank(below - rank)) // its keys grow away from zero
	}
	notAbove := below + k.dd.GetZeroCount()
	if rank < notAbove || positive.IsEmpty() {
		return 0
	}
	return k.dd.Value(positive.KeyAtRank(rank - notAbove))
}

// checkQuantile panics if q is not a share, or if quantiles are not kept.
func checkQuantile(kind string, k *sketch, q float64) {
	if k == nil {
		panic(fmt.Sprintf("sim: this %s keeps no quantiles; make it with New%s and the option Quantiles(0.01)", kind, kind))
	}
	if !(q >= 0 && q <= 1) {
		panic(fmt.Sprintf("sim: Quantile(%v) of a %s: q is a share, from 0 to 1", q, kind))
	}
}

// finite tells numbers from NaN and the infinities.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
