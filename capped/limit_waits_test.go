//go:build !race

package capped

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// The balls that are queued and due next, and those accepted with none before them, are those that
// will be deleted: λ times the law of the waits.
func TestQueuedAreDeleted(t *testing.T) {
	for _, c := range []int{2, 3, 10} {
		for _, lambda := range []float64{0.1, 0.75, short(10), 1 - 1e-9} {
			l := NewLimit(c, lambda)
			var deleted []float64
			for a, row := range l.accepted() {
				for len(deleted) < a+2 {
					deleted = append(deleted, 0)
				}
				deleted[a] += row[0]
			}
			for a, balls := range l.Queued()[0] { // a round later they are a+1 old
				for len(deleted) < a+2 {
					deleted = append(deleted, 0)
				}
				deleted[a+1] += balls
			}
			waits := l.Waits()
			for w := range waits {
				waits[w] *= lambda
			}
			wantAll(t, fmt.Sprintf("c = %d, λ = %v", c, lambda), deleted, waits, 1e-12, 1e-20)
		}
	}
}

// The law of the waits by the integral over the balls that are before a ball.
func TestWaitsByIntegral(t *testing.T) {
	for _, c := range []int{1, 2, 4} {
		for _, lambda := range []float64{0.3, 0.75, short(10)} {
			l := NewLimit(c, lambda)
			var waits []float64
			y := l.Requests
			for age := 0; y > 1e-15; age++ {
				next := 0.0
				for load, share := range l.Loads {
					for asking := c - load + 1; asking < 100; asking++ {
						next += share * poisson(y, asking) * float64(asking-(c-load))
					}
				}
				for p := range c {
					for len(waits) <= age+p {
						waits = append(waits, 0)
					}
					waits[age+p] += quad.Fixed(func(y float64) float64 {
						sum := 0.0
						for load := range p + 1 {
							sum += l.Loads[load] * poisson(y, p-load)
						}
						return sum / lambda
					}, next, y, 24, quad.Legendre{}, 0)
				}
				y = next
			}
			wantAll(t, fmt.Sprintf("c = %d, λ = %v", c, lambda), l.Waits(), waits, 1e-11, 1e-14)
		}
	}
}

func TestMaxWait(t *testing.T) {
	l := NewLimit(3, 0.9)
	waits := l.Waits()
	for _, n := range []int{1, 2, 10, 1000, 1 << 15, 1 << 30} {
		w := l.MaxWait(n)
		if balls := total(waits[w:]) * 0.9 * float64(n); balls < 0.5 && w > 0 {
			t.Errorf("n = %d: %v balls wait for %d or more", n, balls, w)
		}
		if balls := total(waits[w+1:]) * 0.9 * float64(n); balls >= 0.5 {
			t.Errorf("n = %d: %v balls wait for more than %d", n, balls, w)
		}
	}
	// By hand: c = 1, λ = 3/4. y = 1.386, 0.636, 0.166, 0.0129, 8.3e-5: those of age a or more are
	// yₐ − y_{a+1} of λ.
	if got := NewLimit(1, 0.75).MaxWait(1000); got != 3 {
		t.Errorf("the longest wait of 1000 bins is %d, want 3, as 12.9 balls in a thousand bins are that old", got)
	}
	if got := NewLimit(1, 0.01).MaxWait(10); got != 0 {
		t.Errorf("the longest wait of a tenth of a ball is %d", got)
	}
}
