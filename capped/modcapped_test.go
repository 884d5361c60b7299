package capped

import (
	"math"
	"testing"
)

// Every round of MODCAPPED is compared with section IV-A for each bin: with r balls that prefer red
// and b that prefer blue, and rooms R and B, it satisfies min(r, R) + min(b, B) preferences and
// accepts min(r+b, R+B) balls.
func TestModCappedBuffers(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 4, 9} {
		// 2 balls per bin leave some buffers empty and let others overflow.
		c := Config{Bins: 30, Capacity: capacity, Rate: 0.9, Kind: ModCapped, Seed: uint64(capacity), MinThrown: 60}
		p := start(t, c)
		e := p.engine.(*modCapped)
		red, blue := make([]int, c.Bins), make([]int, c.Bins)
		for round := 1; round <= 40*capacity; round++ {
			r := advance(t, p)
			choices := c.choices(round)
			reds, blues := make([]int, c.Bins), make([]int, c.Bins)
			for ball := range r.Thrown {
				if bin := choices.some(1)[0]; ball%2 == 0 {
					reds[bin]++
				} else {
					blues[bin]++
				}
			}
			phase := round / capacity
			// Equation 5, for the buffers j = phase and j = phase+1.
			redCap, blueCap := (phase+1)*capacity-round, round-phase*capacity
			accepted := 0
			for bin := range c.Bins {
				if red[bin] > redCap || blue[bin] > blueCap {
					t.Fatalf("c = %d, round %d: buffers of %d and %d, capacities %d and %d", capacity, round, red[bin], blue[bin],
						redCap, blueCap)
				}
				roomRed, roomBlue := redCap-red[bin], blueCap-blue[bin]
				toRed, toBlue := min(reds[bin], roomRed), min(blues[bin], roomBlue)
				toRed, toBlue = toRed+min(blues[bin]-toBlue, roomRed-toRed), toBlue+min(reds[bin]-toRed, roomBlue-toBlue)
				accepted += toRed + toBlue
				red[bin] = max(0, red[bin]+toRed-1)
				blue[bin] += toBlue
			}
			if round%capacity == capacity-1 { // the next phase: blue is red, and the new blue empty
				for bin := range red {
					if red[bin] != 0 {
						t.Fatalf("c = %d, round %d: a red buffer holds %d at the end of its phase", capacity, round, red[bin])
					}
				}
				red, blue = blue, red
			}
			if accepted != r.Accepted {
				t.Fatalf("c = %d, round %d: %d accepted, want %d", capacity, round, r.Accepted, accepted)
			}
			for bin := range c.Bins {
				if int(e.red[bin]) != red[bin] || int(e.blue[bin]) != blue[bin] {
					t.Fatalf("c = %d, round %d, bin %d: buffers of %d and %d, want %d and %d", capacity, round, bin, e.red[bin],
						e.blue[bin], red[bin], blue[bin])
				}
			}
		}
	}
}

// As printed, with ⌈t/c⌉ as the red buffer, the one that deletes, a buffer holds more than its
// capacity: what the other buffer accepted in the first round of its phase stays there while its
// capacity falls.
func TestRedAsPrintedOverflows(t *testing.T) {
	const c = 2
	capacity := func(j, t int) int { // equation 5
		switch t / c {
		case j - 1:
			return t - (j-1)*c
		case j:
			return (j+1)*c - t
		}
		return 0
	}
	overflows := func(red func(t int) int) bool {
		held := map[int]int{}
		for t := 4; t < 8; t++ {
			for j := t/c - 1; j <= t/c+1; j++ {
				if held[j] > capacity(j, t) {
					return true
				}
				held[j] = capacity(j, t) // as many balls come as fit
			}
			held[red(t)] = max(0, held[red(t)]-1)
		}
		return false
	}
	if !overflows(func(t int) int { return (t + c - 1) / c }) {
		t.Error("⌈t/c⌉ does not overflow")
	}
	if overflows(func(t int) int { return t / c }) {
		t.Error("⌊t/c⌋ overflows")
	}
}

// Lemmas 1 and 6 by coupling, at every round and for every bin, with the processes' own numbers of
// new balls.
func TestCoupling(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 5} {
		for _, rate := range []float64{0.3, 0.77, 0.99} {
			for seed := range uint64(5) {
				c := Config{Bins: 61, Capacity: capacity, Rate: rate, Seed: seed, ByBin: true, Arrivals: Arrivals(seed % 3)}
				p := start(t, c)
				c.Kind = ModCapped
				// With m* and with so few balls that buffers are often empty.
				c.MinThrown = []int{0, 1, 61, 120, 61 * capacity}[seed]
				q := start(t, c)
				for range 200 {
					a, b := p.Round(), q.Round()
					if a.Pool > b.Pool || a.Thrown > b.Thrown {
						t.Fatalf("%s, round %d: %d of %d left, and %d of %d", c.name(), p.now, a.Pool, a.Thrown, b.Pool, b.Thrown)
					}
					for bin := range c.Bins {
						if p.Load(bin) > q.Load(bin) {
							t.Fatalf("%s, round %d, bin %d: loads of %d and %d", c.name(), p.now, bin, p.Load(bin), q.Load(bin))
						}
					}
				}
			}
		}
	}
}

// Processes of different seeds are not coupled, and break the invariant at once: the test above can
// fail.
func TestUncoupled(t *testing.T) {
	c := Config{Bins: 61, Capacity: 3, Rate: 0.77, Seed: 1, ByBin: true}
	p := start(t, c)
	c.Kind, c.Seed, c.MinThrown = ModCapped, 2, 61
	q := start(t, c)
	for range 200 {
		p.Round()
		q.Round()
		for bin := range c.Bins {
			if p.Load(bin) > q.Load(bin) {
				return
			}
		}
	}
	t.Error("no bin of CAPPED ever held more than that of an independent MODCAPPED")
}

// m* by hand: that of section III for c = 1, that of section IV for larger c, and always even.
func TestLeast(t *testing.T) {
	for _, c := range []struct {
		capacity int
		rate     float64
		want     float64
	}{
		{1, 0.75, math.Log(4)*1000 + 2*1000},
		{2, 0.75, math.Log(4)*1000 + 12*1000},
		{3, 0.99, 2*math.Log(100)*1000/3 + 18*1000},
	} {
		config := Config{Bins: 1000, Capacity: c.capacity, Rate: c.rate, Kind: ModCapped}
		got := config.minThrown()
		if got%2 != 0 || float64(got) < c.want || float64(got) >= c.want+2 {
			t.Errorf("c = %d, λ = %v: m* = %d, want %v", c.capacity, c.rate, got, c.want)
		}
		config.Kind = Capped
		if config.minThrown() != 0 {
			t.Error("CAPPED throws at least", config.minThrown())
		}
	}
}
