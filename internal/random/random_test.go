package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

var _ rand.Source = new(Stream)

// The first numbers of SplitMix64 from state 1234567, as published.
func TestKnownNumbers(t *testing.T) {
	s := Stream(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := s.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestStreamsAreTheirOwn(t *testing.T) {
	seen := map[Stream][]uint64{}
	add := func(words ...uint64) {
		s := New(words...)
		if other, ok := seen[s]; ok {
			t.Fatalf("%v and %v name the same stream", words, other)
		}
		seen[s] = words
		if s != New(words...) {
			t.Fatalf("%v names two streams", words)
		}
	}
	for a := range uint64(40) {
		add(a)
		for b := range uint64(40) {
			add(a, b)
			for c := range uint64(40) {
				add(a, b, c)
			}
		}
	}
	s := New(1)
	for k := range uint64(1000) {
		if _, ok := seen[s.At(k)]; ok {
			t.Fatal("a stream of streams is another one")
		}
		seen[s.At(k)] = nil
		child := s.Split()
		if _, ok := seen[child]; ok {
			t.Fatal("a split stream is another one")
		}
		seen[child] = nil
	}
}

// Means and variances of n draws are within 4.5 standard errors. By chance each of the eight
// exceeds that 7 times in a million.
func TestMoments(t *testing.T) {
	const n = 1_000_000
	for _, c := range []struct {
		name           string
		draw           func(*Stream) float64
		mean, variance float64
		kurtosis       float64 // fourth central moment over the squared variance
	}{
		{"Float64", (*Stream).Float64, 0.5, 1.0 / 12, 1.8},
		{"Positive", (*Stream).Positive, 0.5, 1.0 / 12, 1.8},
		{"Exp", (*Stream).Exp, 1, 1, 9},
		{"Below", func(s *Stream) float64 { return float64(s.Below(10)) }, 4.5, 8.25, 1.7757},
	} {
		// n numbers of one stream, and one number of each of n neighbouring streams, as in a
		// population.
		for _, many := range []bool{false, true} {
			one := New(7)
			var sum, squares float64
			for i := range uint64(n) {
				s := &one
				if many {
					own := New(7, 0).At(i)
					s = &own
				}
				x := c.draw(s) - c.mean
				sum += x
				squares += x * x
			}
			if z := sum / math.Sqrt(c.variance*n); math.Abs(z) > 4.5 {
				t.Errorf("%s, many streams %v: the mean is off by %.1f standard errors", c.name, many, z)
			}
			if z := (squares/n - c.variance) / (c.variance * math.Sqrt((c.kurtosis-1)/n)); math.Abs(z) > 4.5 {
				t.Errorf("%s, many streams %v: the variance is off by %.1f standard errors", c.name, many, z)
			}
		}
	}
}

// Below is uniform also where a multiplication alone is not: with n near 2⁶⁴·2/3 some numbers would
// come twice as often as others.
func TestBelowIsExact(t *testing.T) {
	const n, draws = 3 << 62, 100_000
	s := New(3)
	thirds := [3]int{}
	for range draws {
		x := s.Below(n)
		if x >= n {
			t.Fatalf("%d is not below %d", x, uint64(n))
		}
		thirds[x>>62]++
	}
	for i, k := range thirds {
		if z := (float64(k) - draws/3.0) / math.Sqrt(draws*2.0/9); math.Abs(z) > 4.5 {
			t.Errorf("third %d came %d times, off by %.1f standard errors", i, k, z)
		}
	}
}

// The layers have equal areas, and the last one ends at the top of the curve, which proves the
// constants.
func TestZiggurat(t *testing.T) {
	for i := 1; i < layers; i++ {
		if area := edge[i] * (height[i+1] - height[i]); math.Abs(area-layerArea) > 1e-15 {
			t.Errorf("layer %d has area %v, want %v", i, area, layerArea)
		}
	}
	if area := tail*height[1] + math.Exp(-tail); math.Abs(area-layerArea) > 1e-15 {
		t.Errorf("the lowest layer has area %v, want %v", area, layerArea)
	}
}

// A chi-square test of a million exponential numbers in 400 classes of equal probability: the
// statistic is within 4.5 standard deviations of its mean. The tail beyond the lowest layer is
// counted by itself.
func TestExpLaw(t *testing.T) {
	const n, classes = 1_000_000, 400
	var counts [classes]int
	beyond := 0
	s := New(17)
	for range n {
		x := s.Exp()
		if !(x > 0) {
			t.Fatalf("%v is not above 0", x)
		}
		counts[int(-math.Expm1(-x)*classes)]++
		if x > tail {
			beyond++
		}
	}
	chi := 0.0
	for _, k := range counts {
		d := float64(k) - n/classes
		chi += d * d / (n / classes)
	}
	if z := (chi - (classes - 1)) / math.Sqrt(2*(classes-1)); math.Abs(z) > 4.5 {
		t.Errorf("chi-square is off by %.1f standard deviations", z)
	}
	want := n * math.Exp(-tail)
	if z := (float64(beyond) - want) / math.Sqrt(want); math.Abs(z) > 4.5 {
		t.Errorf("%d in the tail, want %.0f: off by %.1f standard errors", beyond, want, z)
	}
}

// ExpAll returns the numbers of Exp and leaves each stream in the same state, also in the tail,
// which one draw in 2000 reaches.
func TestExpAll(t *testing.T) {
	var many, each [20_000]Stream
	var got [len(many)]float64
	for i := range many {
		many[i] = New(5, uint64(i))
	}
	each = many
	ExpAll(many[:], got[:])
	beyond := 0
	for i := range each {
		if want := each[i].Exp(); got[i] != want || many[i] != each[i] {
			t.Fatalf("stream %d: %v and then %x, want %v and %x", i, got[i], uint64(many[i]), want, uint64(each[i]))
		}
		if got[i] > tail {
			beyond++
		}
	}
	if beyond == 0 {
		t.Error("none was in the tail")
	}
}

func BenchmarkExp(b *testing.B) {
	s := New(1)
	for b.Loop() {
		s.Exp()
	}
}
