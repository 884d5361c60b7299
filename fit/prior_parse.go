package fit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/priors"
)

// ParsePrior reads a prior as [Prior.String] writes it.
func ParsePrior(text string) (p Prior, err error) {
	wrong := func() (Prior, error) {
		return Prior{}, fmt.Errorf("fit: %q is not a prior; expected one such as uniform 0.1..1 or gamma mean 5 shape 2 "+
			"within 0..10", text)
	}
	rest, whole := strings.CutSuffix(text, " whole")
	rest, within, bounded := strings.Cut(rest, " within ")
	words := strings.Fields(rest)
	if len(words) < 2 {
		return wrong()
	}
	f := priors.Named(words[0])
	if f == nil {
		return wrong()
	}
	if f.Range() {
		low, high, ok := strings.Cut(words[1], "..")
		if !ok || len(words) != 2 {
			return wrong()
		}
		words = []string{words[0], "low", low, "high", high}
	}
	if len(words) != 1+2*len(f.Args) {
		return wrong()
	}
	args := make([]float64, len(f.Args))
	for i, name := range f.Args {
		args[i], err = strconv.ParseFloat(words[2+2*i], 64)
		if err != nil || words[1+2*i] != name || math.IsNaN(args[i]) || math.IsInf(args[i], 0) {
			return wrong()
		}
	}
	p = NewPrior(f.Name, args...)
	if bounded {
		from, to, ok := strings.Cut(within, "..")
		low, high := math.Inf(-1), math.Inf(1)
		if from != "" && err == nil {
			low, err = strconv.ParseFloat(from, 64)
		}
		if to != "" && err == nil {
			high, err = strconv.ParseFloat(to, 64)
		}
		if !ok || err != nil {
			return wrong()
		}
		p = p.Within(low, high)
	}
	if whole {
		p = p.Whole()
	}
	if err := p.Check(); err != nil {
		return Prior{}, fmt.Errorf("%w; it is written %q", err, text)
	}
	return p, nil
}
