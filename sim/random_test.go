package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/sim/internal/seed"
)

// Published results depend on these numbers. They must never change.
func TestStreamsStayTheSame(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		name string
		want [2]uint64
	}{
		{0, "", [2]uint64{0xff78696cdd8cb41e, 0xf2a40ba80e163455}},
		{1, "arrivals", [2]uint64{0xb64b4a26f1e32b56, 0x85d8c1916c202a85}},
		{1, "service", [2]uint64{0x3702f702eb085821, 0xfd83fcbc0b8f3acd}},
		{math.MaxUint64, "Ankünfte", [2]uint64{0x43a0fb69e4564a83, 0xbef9804b84861a40}},
	} {
		r := New(Seed(c.seed)).Stream(c.name)
		if got := [2]uint64{r.Uint64(), r.Uint64()}; got != c.want {
			t.Errorf("stream %q of seed %d begins with %#x, want %#x", c.name, c.seed, got, c.want)
		}
	}
	for _, c := range []struct {
		seed  uint64
		index int
		want  uint64
	}{
		{0, 0, 0x4f90364aa000d45d},
		{0, 1, 0x3e4a6d9d81e91846},
		{1, 0, 0xa3e649de556ccd45},
		{12345, 999, 0x149cb2ff8d8885da},
	} {
		if got := seed.Replication(c.seed, c.index); got != c.want {
			t.Errorf("replication %d of seed %d has the seed %#x, want %#x", c.index, c.seed, got, c.want)
		}
	}
}

func TestStreamIsOneObject(t *testing.T) {
	s := New(Seed(5))
	a := s.Stream("a")
	first := a.Uint64()
	if s.Stream("a") != a || s.Stream("b") == a {
		t.Error("a name should stand for one object")
	}
	if s.Stream("a").Uint64() == first {
		t.Error("a stream began anew")
	}
}

// What other streams there are and how much they are used does not matter.
func TestStreamsDoNotDisturbEachOther(t *testing.T) {
	plain, busy := New(Seed(9)), New(Seed(9))
	for i := range 100 {
		for range i % 7 {
			busy.Stream("other").NormFloat64()
		}
		if a, b := plain.Stream("arrivals").Uint64(), busy.Stream("arrivals").Uint64(); a != b {
			t.Fatalf("number %d is %#x alone and %#x beside others", i, a, b)
		}
	}
}

// Streams of names and seeds that are much alike have uniform numbers with the right moments that
// do not correlate, within 4 standard errors: of a correlation 1/√n, of a mean 1/√(12n), of a
// variance 1/√(180n).
func TestStreamsAreIndependent(t *testing.T) {
	const n = 20_000
	streams := map[string]*rand.Rand{}
	for from := range uint64(3) {
		for _, name := range []string{"", "a", "b", "aa", "a0", "a1"} {
			streams[string(rune('0'+from))+" "+name] = New(Seed(from)).Stream(name)
		}
		for i := range 3 {
			streams[string(rune('0'+from))+" replication "+string(rune('0'+i))] = newStream(seed.Replication(from, i), "a")
		}
	}
	numbers := map[string][]float64{}
	for name, r := range streams {
		for range n {
			numbers[name] = append(numbers[name], r.Float64())
		}
		mean, variance := stat.MeanVariance(numbers[name], nil)
		if math.Abs(mean-0.5) > 4/math.Sqrt(12*n) || math.Abs(variance-1.0/12) > 4/math.Sqrt(180*n) {
			t.Errorf("stream %q has mean %v and variance %v", name, mean, variance)
		}
	}
	for a, xs := range numbers {
		for b, ys := range numbers {
			lags := []int{0, 1}
			if a == b {
				lags = []int{1, 2}
			}
			for _, lag := range lags {
				if r := stat.Correlation(xs[lag:], ys[:n-lag], nil); math.Abs(r) > 4/math.Sqrt(n) {
					t.Errorf("streams %q and %q have a correlation of %v at lag %d", a, b, r, lag)
				}
			}
		}
	}
}

func TestStreamIsASourceForGonum(t *testing.T) {
	s := New(Seed(2))
	service := distuv.Exponential{Rate: 0.25, Src: s.Stream("service")}
	var tally Tally
	const n = 10_000
	for range n {
		tally.Add(service.Rand())
	}
	if standardError := 4 / math.Sqrt(n); math.Abs(tally.Mean()-4) > 4*standardError {
		t.Errorf("the mean is %v, want 4 ± %v", tally.Mean(), 4*standardError)
	}
}
