package ensemble

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// arithmetic names the architecture and what package math gives here: a hash of values of functions
// that have assembly on some machines or ask the processor for fused multiply-add, and of products
// that the compiler may fuse with a sum.
var arithmetic = sync.OnceValue(func() string {
	sum := sha256.New()
	functions := []func(float64) float64{math.Exp, math.Exp2, math.Expm1, math.Log, math.Log1p, math.Sin, math.Cos,
		math.Tan, math.Atan, math.Gamma, math.Erf,
		math.Cbrt, math.Tanh, func(x float64) float64 { return math.Pow(x, 0.3) }, func(x float64) float64 {
			return math.Hypot(x, 0.3)
		},
		func(x float64) float64 { return x*x - 1 }}
	for i := range 64 {
		x := 0.1 + float64(i)/7
		for _, f := range functions {
			fmt.Fprintf(sum, "%x ", math.Float64bits(f(x)))
		}
	}
	return runtime.GOARCH + " " + hex.EncodeToString(sum.Sum(nil)[:4])
})
