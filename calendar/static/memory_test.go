package static_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/calendar/static"
)

// What no machine has is refused before it is asked for.
func TestQueueRefusesWhatDoesNotFit(t *testing.T) {
	var before, after runtime.MemStats
	for _, cfg := range []static.Config{
		{Buckets: math.MaxInt, Width: 1, Capacity: 1},
		{Buckets: 1, Width: 1, Capacity: math.MaxInt},
		{Buckets: math.MaxInt32 - 1, Width: 1, Capacity: math.MaxInt32 - 1}, // 34 GB
	} {
		runtime.ReadMemStats(&before)
		_, err := static.New(cfg)
		runtime.ReadMemStats(&after)
		if after.TotalAlloc-before.TotalAlloc > 1<<20 {
			if err == nil && cfg.Buckets == cfg.Capacity {
				continue // a large machine
			}
			t.Errorf("%d bytes asked for", after.TotalAlloc-before.TotalAlloc)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "static: Config") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}
