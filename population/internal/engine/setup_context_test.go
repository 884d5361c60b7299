//go:build !race

package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// Whenever a run is stopped while it is set up, each core may finish its present block, and no
// more: with the calendar, by windows, with lists of groups, and when a run by windows switches to
// the calendar.
func TestSetupIgnoresContext(t *testing.T) {
	const cores = 2
	plain := programOf(t, fmt.Sprintf(`
name: plain
time: {unit: day, end: 100}
population: {size: %d, start: {a: rest}}
states: {a: {race: [{after: {gamma: {mean: 20 days, shape: 2}}, to: b}]}, b: {}}
record: {every: 10 days}
`, 12*setupFrom))
	byWindows := windowRule{
		minSize: 1, count: 50, shards: cores, blockBits: 12, maxEntrants: 1000, maxDue: 1 << 20, patience: 50,
	}
	start := func(m *program.Program, rule windowRule) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			r := Run{sparseRule: usualSparse, cores: cores, windowRule: rule}
			err := r.Start(ctx, m, 1, 0)
			if err == nil && (r.windows != nil) != (rule.minSize > 0) {
				t.Errorf("by windows: %v", r.windows != nil)
			}
			return err
		}
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"calendar": start(plain, windowRule{}),
		"windows":  start(plain, byWindows),
		"groups":   start(crowdOf(t, 12*setupFrom), windowRule{}),
		"switch to the calendar": func(ctx context.Context) error {
			r := Run{sparseRule: usualSparse, cores: cores, windowRule: byWindows}
			if err := r.Start(t.Context(), plain, 1, 0); err != nil {
				t.Fatal(err)
			}
			_, err := r.switchToCalendar(ctx)
			return err
		},
	} {
		for most := int64(0); ; most += 1 + most/2 {
			ctx := &countdownContext{Context: t.Context()}
			ctx.left.Store(most)
			err := do(ctx)
			if err == nil {
				if most < 10 {
					t.Errorf("%s: it checked the context %d times", name, most)
				}
				break
			}
			if more := -ctx.left.Load(); !errors.Is(err, context.Canceled) || more > 4*cores+2 {
				t.Fatalf("%s: after %d checks of the context there were %d more: %v", name, most, more, err)
			}
		}
	}
}
