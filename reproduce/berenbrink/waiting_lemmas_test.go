package berenbrink

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/reproduce"
)

// What is followed by the ages of a pool is what a process does whose younger balls do not exist:
// for c = 1 THRESHOLD[1] has the same law.
func TestDrains(t *testing.T) {
	r := &runner{Runner: reproduce.NewRunner(t.Context(), reproduce.Options{Seed: 3}, "test", 2)}
	pools := drains{n: 1 << 10, c: 1, lambda: halved(6), lemma3: 1 - 1/math.E}
	r.drainPools(&pools, 2000, 0)
	batch := drains{n: 1 << 10, c: 1, balls: 3, lemma3: 1 - 1/math.E}
	r.drainBatch(&batch, 300, 1)
	y := 3.0
	for k := range 4 {
		if math.Abs(batch.surviving[k]-y) > 0.01 {
			t.Errorf("of 3 n balls %v n are left after %d rounds, want %v n", batch.surviving[k], k, y)
		}
		y += math.Expm1(-y)
	}
	y = pools.pool
	for k := range 5 {
		if math.Abs(pools.surviving[k]-y) > 0.01 {
			t.Errorf("of the pool of %v n balls %v n are left after %d rounds, want %v n", pools.pool, pools.surviving[k], k, y)
		}
		y += math.Expm1(-y)
	}
	if pools.count != 2000 || batch.count != 300 || batch.pool != 3 {
		t.Errorf("%+v\n%+v", pools, batch)
	}
}
