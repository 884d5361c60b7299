package capped

import (
	"math"
	"testing"
)

// Any configuration is refused, or its rounds add up; and the engine that draws by law agrees with
// the one that throws every ball in everything that is not random.
func FuzzProcess(f *testing.F) {
	f.Add(uint16(10), uint16(1), 0.5, uint8(0), uint8(2), uint64(1), uint8(0), uint8(20))
	f.Add(uint16(1), uint16(3), 0.999999, uint8(1), uint8(0), uint64(2), uint8(1), uint8(50))
	f.Add(uint16(300), uint16(0), 1e-300, uint8(2), uint8(7), uint64(3), uint8(2), uint8(9))
	f.Add(uint16(77), uint16(2), 12.5, uint8(3), uint8(1), uint64(4), uint8(0), uint8(30))
	f.Add(uint16(64), uint16(200), math.NaN(), uint8(0), uint8(1), uint64(5), uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, bins, capacity uint16, rate float64, kind, choices uint8, seed uint64, how, rounds uint8) {
		if rate > 1000 {
			rate = 1000 // a batch that does not take all day
		}
		c := Config{
			Bins: int(bins % 400), Capacity: int(capacity % 300), Rate: rate, Kind: Kind(kind % 5), Choices: int(choices % 9),
			Seed:     seed,
			Arrivals: Arrivals(how % 4), Warm: seed%7 == 0,
		}
		arrived := [2]int{}
		for i, by := range []bool{false, true} {
			c.ByBin = by
			p, err := NewProcess(c)
			if err != nil {
				return
			}
			for range rounds % 60 {
				arrived[i] += advance(t, p).Arrived
			}
		}
		if arrived[0] != arrived[1] {
			t.Fatalf("%s: %d balls came by law, %d by bin", c.name(), arrived[0], arrived[1])
		}
	})
}
