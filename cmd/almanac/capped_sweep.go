package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/allocation"
)

// mostSwept bounds the points of a sweep.
const mostSwept = 1000

// parseSweep parses capacity=1..8, rate=1-2^-1..1-2^-10 or lists. The values are sorted.
func parseSweep(s string, c capped.Config, given func(string) bool) (*allocation.Sweep, error) {
	const wanted = "wanted is capacity=1..8, capacity=1,2,4, rate=1-2^-1..1-2^-10 or rate=0.5,0.9,0.99"
	what, values, ok := strings.Cut(s, "=")
	if !ok {
		return nil, cli.Usagef("--sweep %q has no values; %s", s, wanted)
	}
	names := []string{allocation.Capacity, allocation.Rate}
	i, err := cli.ChooseOne("--sweep", what, names)
	if err != nil {
		return nil, err
	}
	var swept []allocation.Value
	switch what := names[i]; {
	case given(what):
		return nil, cli.Usagef("--%s and --sweep %s=…: give one of them", what, what)
	case what == allocation.Capacity && c.Kind == capped.Greedy:
		return nil, cli.Usagef("--sweep capacity does not apply to greedy: its bins have no limit; sweep the rate")
	case what == allocation.Capacity:
		swept, err = sweptCapacities(values)
	default:
		swept, err = sweptRates(values, c.Kind)
	}
	if err != nil {
		return nil, err
	}
	sweep := allocation.NewSweep(names[i], swept)
	return &sweep, nil
}

// sweptCapacities parses 1..8 or 1,2,4.
func sweptCapacities(values string) (swept []allocation.Value, err error) {
	one := func(text string) (int, error) { return cli.ParseWhole("--sweep capacity", text, "balls", 1, 1<<20) }
	add := func(c int) { swept = append(swept, allocation.Value{Name: strconv.Itoa(c), Value: float64(c)}) }
	if first, last, ok := strings.Cut(values, ".."); ok {
		low, err := one(first)
		if err != nil {
			return nil, err
		}
		high, err := one(last)
		if err != nil {
			return nil, err
		}
		if err := sweepable("--sweep capacity", values, low, high); err != nil {
			return nil, err
		}
		for c := low; c <= high; c++ {
			add(c)
		}
		return swept, nil
	}
	for _, text := range strings.Split(values, ",") {
		c, err := one(text)
		if err != nil {
			return nil, err
		}
		add(c)
	}
	return swept, nil
}

// sweepable rejects ranges that are backwards or too long.
func sweepable(flag, values string, low, high int) error {
	switch {
	case low > high:
		return cli.Usagef("%s: %s goes backwards; begin with the smaller one", flag, values)
	case high-low >= mostSwept:
		return cli.Usagef("%s: %s has %d values; at most %d can be swept at once", flag, values, high-low+1, mostSwept)
	}
	return nil
}

// sweptRates parses 1-2^-1..1-2^-10, one rate for each exponent, or 0.5,0.9,0.99.
func sweptRates(values string, kind capped.Kind) (swept []allocation.Value, err error) {
	values = strings.ReplaceAll(values, "−", "-")
	add := func(name string) error {
		rate, err := cli.ParseRate("--sweep rate", name, kind)
		swept = append(swept, allocation.Value{Name: strings.TrimSpace(name), Value: rate})
		return err
	}
	if first, last, ok := strings.Cut(values, ".."); ok {
		base, low, good := nearOne(first)
		base2, high, good2 := nearOne(last)
		if !good || !good2 || base != base2 {
			return nil, cli.Usagef("--sweep rate: %q is not a range; wanted is one of exponents, as 1-2^-1..1-2^-10, or a "+
				"list, as 0.5,0.9,0.99", values)
		}
		if err := sweepable("--sweep rate", values, low, high); err != nil {
			return nil, err
		}
		for e := low; e <= high; e++ {
			if err := add(fmt.Sprintf("1-%s^-%d", base, e)); err != nil {
				return nil, err
			}
		}
		return swept, nil
	}
	for _, text := range strings.Split(values, ",") {
		if err := add(text); err != nil {
			return nil, err
		}
	}
	return swept, nil
}

// nearOne splits 1-2^-10 into "2" and 10.
func nearOne(s string) (base string, exponent int, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "1-")
	if !ok {
		return "", 0, false
	}
	base, power, ok := strings.Cut(rest, "^-")
	exponent, err := strconv.Atoi(power)
	return base, exponent, ok && err == nil
}
