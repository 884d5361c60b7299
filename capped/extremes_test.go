package capped

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// said returns the value of a panic of do, or "".
func said(do func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	do()
	return ""
}

// tolerates calls do, which may panic only with a message of the package.
func tolerates(t *testing.T, what string, do func()) {
	t.Helper()
	if text := said(do); text != "" && !strings.HasPrefix(text, "capped: ") {
		t.Errorf("%s panics: %s", what, text)
	}
}

var (
	extremeInts   = []int{math.MinInt, -1, 0, 1, 2, math.MaxInt - 1, math.MaxInt}
	extremeFloats = []float64{math.NaN(), math.Inf(-1), -1, 0, math.SmallestNonzeroFloat64, 1e-300, 0.5, 0.999, 1,
		math.MaxFloat64, math.Inf(1)}
)

// Every argument is either accepted or refused with a message.
func TestExtremeArguments(t *testing.T) {
	for _, x := range extremeFloats {
		tolerates(t, fmt.Sprintf("SweetSpot(%v)", x), func() { SweetSpot(x) })
		for _, n := range extremeInts {
			for name, f := range map[string]func(){
				"MeanField":   func() { MeanField(n, x) },
				"NewLimit":    func() { NewLimit(n, x) },
				"GreedyLimit": func() { GreedyLimit(n, x) },
			} {
				tolerates(t, fmt.Sprintf("%s(%d, %v)", name, n, x), f)
			}
			for _, c := range extremeInts {
				for name, f := range map[string]func(n, c int, lambda float64) float64{
					"PoolBound": PoolBound, "WaitBound": WaitBound,
				} {
					tolerates(t, fmt.Sprintf("%s(%d, %d, %v)", name, n, c, x), func() { f(n, c, x) })
				}
				for kind := Kind(-1); kind <= Threshold+1; kind++ {
					cfg := Config{Bins: n, Capacity: c, Rate: x, Kind: kind, Choices: c, MinThrown: c, ByBin: c%2 == 0}
					tolerates(t, fmt.Sprintf("NewProcess(%+v)", cfg), func() {
						if kind == ModCapped && n > 0 && c > 0 && x > 0 && x < 1 {
							cfg.minThrown()
						}
						if n > 2 {
							_, _ = NewProcess(cfg)
							return
						}
						if p, err := NewProcess(cfg); err == nil {
							p.Round()
						}
					})
				}
			}
		}
	}
	for _, n := range extremeInts {
		tolerates(t, fmt.Sprintf("String of %d", n), func() { _, _ = Kind(n).String(), Arrivals(n).String() })
		for _, l := range []*Limit{NewLimit(3, 0.9), GreedyLimit(2, 0.9)} {
			tolerates(t, fmt.Sprintf("MaxWait(%d)", n), func() { l.MaxWait(n) })
			tolerates(t, fmt.Sprintf("FromEmpty(%d)", n), func() { l.FromEmpty(n) })
		}
		p, err := NewProcess(Config{Bins: 10, Capacity: 2, Rate: 0.5, ByBin: true})
		if err != nil {
			t.Fatal(err)
		}
		tolerates(t, fmt.Sprintf("Load(%d)", n), func() { p.Load(n) })
		for _, m := range extremeInts {
			plan := Plan{BurnIn: n, Rounds: m}
			tolerates(t, fmt.Sprintf("%+v", plan), func() {
				_, _, _, _ = plan.Decide(p.Config())
				ctx, cancel := context.WithCancel(context.Background())
				rounds := 0
				plan.Watch = func(*Process, Round) {
					if rounds++; rounds == 2000 {
						cancel()
					}
				}
				_, _ = Measure(ctx, p.Config(), plan)
				cancel()
			})
		}
	}
}
