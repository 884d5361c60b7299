// Package sketch has the buckets of DDSketch by logarithms that are the same on every machine.
// Those of the library use package math, so that a value near the edge of a bucket may be counted
// on either side.
package sketch

import (
	"github.com/DataDog/sketches-go/ddsketch/mapping"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// buckets number the powers of a base, as those of the library do.
type buckets struct {
	*mapping.LogarithmicMapping
	width float64 // of a bucket: the logarithm of the base
}

// Mapping numbers buckets with a relative accuracy between 0 and 1.
func Mapping(accuracy float64) (mapping.IndexMapping, error) {
	library, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		return nil, err
	}
	return buckets{library, detmath.Log((1 + accuracy) / (1 - accuracy))}, nil
}

// Index is the bucket of a value above 0.
func (b buckets) Index(value float64) int {
	at := detmath.Log(value) / b.width
	i := int(at)
	if at < 0 {
		i-- // as the library rounds; buckets of exact powers are one below
	}
	return i
}

// LowerBound is where a bucket begins.
func (b buckets) LowerBound(index int) float64 { return detmath.Exp(float64(index) * b.width) }

// Value stands for all values of a bucket, which differ from it by the relative accuracy at most.
func (b buckets) Value(index int) float64 { return b.LowerBound(index) * (1 + b.RelativeAccuracy()) }

// Equals reports whether another mapping has the same buckets.
func (b buckets) Equals(other mapping.IndexMapping) bool {
	o, ok := other.(buckets)
	return ok && o.width == b.width
}
