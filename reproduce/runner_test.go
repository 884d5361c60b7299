package reproduce

import (
	"slices"
	"testing"
)

// Progress goes up run by run, and never beyond 1, though there are more runs than expected.
func TestRunnerProgress(t *testing.T) {
	var told []float64
	r := NewRunner(t.Context(), Options{Progress: func(fraction float64) { told = append(told, fraction) }}, "test", 2)
	for range 3 {
		r.Ran()
	}
	if want := []float64{0.5, 1, 1}; !slices.Equal(told, want) || r.Done() != 3 {
		t.Errorf("progress %v after %d runs, want %v", told, r.Done(), want)
	}
}

// Random numbers depend on the seed, the name and the stream, and on nothing else.
func TestRunnerRandom(t *testing.T) {
	type draw struct{ random, stream uint64 }
	from := func(seed uint64, name string, number uint64) draw {
		r := NewRunner(t.Context(), Options{Seed: seed}, name, 1)
		s := r.Stream(7, number)
		return draw{r.Random(number).Uint64(), s.Uint64()}
	}
	first := from(1, "a", 3)
	if again := from(1, "a", 3); again != first {
		t.Errorf("%v, and then %v", first, again)
	}
	for _, other := range []draw{from(2, "a", 3), from(1, "b", 3), from(1, "a", 4)} {
		if other.random == first.random || other.stream == first.stream {
			t.Errorf("%v and %v", first, other)
		}
	}
}
