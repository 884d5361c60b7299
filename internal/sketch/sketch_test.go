package sketch

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/DataDog/sketches-go/ddsketch/mapping"
)

// The buckets are those of the library, but for values within rounding errors of an edge, of which
// there is none among these.
func TestBucketsOfTheLibrary(t *testing.T) {
	for _, accuracy := range []float64{0.5, 0.01, 0.005, 1e-6} {
		ours, err := Mapping(accuracy)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := mapping.NewLogarithmicMapping(accuracy)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 10_000 {
			x := math.Ldexp(r.Float64()+0.5, r.IntN(200)-100)
			i := ours.Index(x)
			if i != theirs.Index(x) {
				t.Fatalf("accuracy %v: %v is in bucket %d, want %d", accuracy, x, i, theirs.Index(x))
			}
			if y := ours.Value(i); !(math.Abs(y/x-1) <= accuracy*(1+1e-9)) || !(math.Abs(y/theirs.Value(i)-1) < 1e-12) {
				t.Fatalf("accuracy %v: %v stands for %v, want %v", accuracy, y, x, theirs.Value(i))
			}
		}
		if !ours.Equals(ours) || ours.Equals(theirs) {
			t.Errorf("accuracy %v: equality of mappings is wrong", accuracy)
		}
	}
	if _, err := Mapping(0); err == nil {
		t.Error("an accuracy of 0 is accepted")
	}
}
