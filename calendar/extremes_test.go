package calendar

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Every id and every time is either taken by an agenda or refused in words.
func TestAgendaExtremeArguments(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1)} {
		for _, id := range []ID{0, 1, math.MaxUint32 - 1, math.MaxUint32} {
			func() {
				defer func() {
					if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "calendar: ") {
						t.Errorf("Agenda with MaxID(%d) and time %v panics: %v", id, x, p)
					}
				}()
				a := NewAgenda[int](MaxID(id))
				h, _ := a.Schedule(x, 1)
				_ = a.Reschedule(h, x)
				for range a.Until(x) {
				}
				if err := a.check(); err != nil {
					t.Error(err)
				}
			}()
		}
	}
}
