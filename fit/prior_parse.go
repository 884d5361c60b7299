package fit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParsePrior reads a prior as [Prior.String] writes it.
func ParsePrior(text string) (p Prior, err error) {
	wrong := func() (Prior, error) {
		return Prior{}, fmt.Errorf("fit: %q is not a prior; expected one such as uniform 0.1..1 or gamma mean 5 shape 2 within 0..10", text)
	}
	rest, whole := strings.CutSuffix(text, " whole")
	rest, within, bounded := strings.Cut(rest, " within ")
	words := strings.Fields(rest)
	if len(words) < 2 {
		return wrong()
	}
	var numbers []float64
	read := func(word string) bool {
		x, err := strconv.ParseFloat(word, 64)
		numbers = append(numbers, x)
		return err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	named := func(names ...string) bool {
		if len(words) != 1+2*len(names) {
			return false
		}
		for i, name := range names {
			if words[1+2*i] != name || !read(words[2+2*i]) {
				return false
			}
		}
		return true
	}
	ends := func() bool {
		low, high, ok := strings.Cut(words[1], "..")
		return ok && len(words) == 2 && read(low) && read(high)
	}
	ok := false
	switch words[0] {
	case "uniform", "log-uniform":
		ok = ends()
	case "normal", "lognormal":
		ok = named("mean", "sd")
	case "gamma":
		ok = named("mean", "shape")
	case "beta":
		ok = named("a", "b")
	case "exponential":
		ok = named("mean")
	case "weibull":
		ok = named("scale", "shape")
	}
	if !ok {
		return wrong()
	}
	switch n := numbers; words[0] {
	case "uniform":
		p = Uniform(n[0], n[1])
	case "log-uniform":
		p = LogUniform(n[0], n[1])
	case "normal":
		p = Normal(n[0], n[1])
	case "lognormal":
		p = Lognormal(n[0], n[1])
	case "gamma":
		p = Gamma(n[0], n[1])
	case "beta":
		p = Beta(n[0], n[1])
	case "exponential":
		p = Exponential(n[0])
	case "weibull":
		p = Weibull(n[0], n[1])
	}
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
