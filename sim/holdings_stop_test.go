package sim

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// Work that stops and goes on is held in pieces, which are together what was in use.
func TestHoldingsOfStoppedWork(t *testing.T) {
	s := New(Seed(3))
	defer s.Close()
	s.Keep(Thinned(5000))
	desk := NewResource(s, "desk", 2)
	desk.Schedule(Daily{Shifts: []Shift{{8, 12, 2}, {13, 17, 1}}}, Resume)
	random := s.Stream("all")
	for i := range 100 {
		s.GoAt(float64(3*i), fmt.Sprint(i), func(p *Process) { _ = desk.Work(p, 1, 2.5*random.ExpFloat64(), Rank(i%2)) })
	}
	if err := s.Run(context.Background(), 600); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, h := range s.Holdings() {
		sum += float64(h.Units) * (h.To - h.From)
	}
	usage, _ := desk.Usage().Course()
	if area := usage.Integral(0, 600); math.Abs(sum-area) > 1e-9*area || desk.Stopped() == 0 {
		t.Errorf("held for %v, in use for %v; stopped %d times", sum, area, desk.Stopped())
	}
}
