//go:build linux || darwin

package ensemble

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"
)

// Numbers without names come in their order from each executor, and are summarised as the same
// numbers are that have names; a point that is stored is read as it was. A replica with more of
// them, or with one that cannot be worked with, is refused.
func TestSeries(t *testing.T) {
	kinds := func() *Registry {
		g := new(Registry)
		g.AddKind(Kind{Name: "walk", Version: "1", Open: func([]byte) (Model, error) {
			return modelFunc(func(p Point) (Runner, error) {
				return func(_ context.Context, r Replica) (Values, error) {
					random, v := r.Rand(), Values{Names: []string{"a", "b", "c"}, Events: 1}
					for range 3 {
						v.Numbers = append(v.Numbers, random.NormFloat64())
					}
					v.Series = append([]float64{}, v.Numbers...)
					if v.Series = append(v.Series, math.NaN()); p.Set["more"] != "" && r.Number == 30 {
						v.Series = append(v.Series, 1)
					}
					if p.Set["large"] != "" && r.Number == 30 {
						v.Series[1] = math.Inf(1)
					}
					return v, nil
				}, nil
			}), nil
		}})
		return g
	}
	onEach(t, kinds, func(t *testing.T, e Executor, g *Registry) {
		job := Job{Kind: "walk", Points: []Point{{}, {Set: map[string]string{"x": "1"}}}, Replicas: 40, Seed: 3}
		n := 0
		_, err := e.Run(t.Context(), job, RunOptions{Registry: g, Point: func(p PointResult) error {
			n++
			if len(p.Outputs) != 3 || len(p.Series) != 4 || p.Series[3].N != 0 || !math.IsNaN(p.Series[3].Mean) {
				t.Fatalf("%+v", p)
			}
			for i, s := range p.Outputs {
				if s.Name = ""; !reflect.DeepEqual(s, p.Series[i]) {
					t.Errorf("%d: %+v and %+v", i, s, p.Series[i])
				}
			}
			stored, err := p.encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := decodePoint(stored)
			if err != nil || len(again.Series) != 4 || !reflect.DeepEqual(again.Series[:3], p.Series[:3]) ||
				!reflect.DeepEqual(again.Outputs, p.Outputs) {
				t.Errorf("%+v, %v", again, err)
			}
			return nil
		}, Replica: func(_, replica int, v Values) error {
			if len(v.Names) != 3 || len(v.Series) != 4 || !reflect.DeepEqual(v.Series[:3], v.Numbers) {
				t.Errorf("replica %d: %+v", replica, v)
			}
			return nil
		}})
		if err != nil || n != 2 {
			t.Errorf("%d points, %v", n, err)
		}
		for set, want := range map[string]string{"more": "it gives other outputs than the replicas before it",
			"large": "a number of its series is +Inf, which is no number to calculate with"} {
			job.Points = []Point{{Set: map[string]string{set: "1"}}}
			if _, err := e.Run(t.Context(), job, RunOptions{Registry: g}); err == nil || !strings.Contains(err.Error(),
				"replica 30: "+want) {
				t.Errorf("%s: %v", set, err)
			}
		}
	})
}
