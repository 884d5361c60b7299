package plot

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// fewest is the minimal number of labels of an axis.
const fewest = 5

// A scale is the range of an axis, and its ticks.
type scale struct {
	low, high float64
	ticks     []gonum.Tick
	factor    string // the multiplier of the labels in words, if there is one
}

// linear returns an axis for numbers from low to high. If it may grow it begins and ends at ticks,
// so that lines do not touch the frame; otherwise it has the range of the numbers. Numbers of four
// digits have a comma, except on a time axis without longer numbers: they may be years.
func linear(low, high float64, grow bool) scale {
	most := max(math.Abs(low), math.Abs(high))
	// No data, or a range that overflows.
	if !(low <= high) || !(most <= 5e307) {
		low, high, most = 0, 1, 1
	}
	if high-low <= max(1e-12*most, 1e-300) { // the range must be wide enough for distinct ticks
		pad := most / 10
		if pad < 1e-290 {
			pad = 1
		}
		if !grow {
			pad = max(min(pad, 1), 1e-11*most)
		}
		if low >= 0 && low < pad {
			high += pad
		} else {
			low, high = low-pad, high+pad
		}
	}
	first, last, step, digit := 0.0, 0.0, 0.0, 0
	for k := int(math.Floor(detmath.Log10(high-low))) + 1; ; k-- {
		for _, d := range []int{5, 2, 1} {
			step, digit = float64(d)*math.Pow10(k), d
			if grow {
				first, last = math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
			} else {
				first, last = math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
			}
			if last-first+1 >= fewest {
				return ticksFrom(low, high, first, last, step, digit, k, grow)
			}
		}
	}
}

// ticksFrom returns the axis with labels at multiples of a step, which is a digit times a power of
// ten.
func ticksFrom(low, high, first, last, step float64, digit, power int, grow bool) scale {
	s := scale{low: low, high: high}
	if grow {
		s.low, s.high = first*step, last*step
	}
	most := max(math.Abs(s.low), math.Abs(s.high))
	shift := 0
	switch {
	case !grow:
	case most >= 1e13:
		shift = int(math.Floor(detmath.Log10(most)))
		s.factor = "× 1e" + strconv.Itoa(shift)
	case most >= 1e10:
		shift, s.factor = 9, "billions"
	case most >= 1e7:
		shift, s.factor = 6, "millions"
	case most < 1e-3:
		shift = int(math.Floor(detmath.Log10(most)))
		s.factor = "× 1e" + strconv.Itoa(shift)
	}
	// The time axis has no place for a factor; very large and very small numbers have exponents.
	plain := grow || most < 1e7 && most >= 1e-3
	years := !grow && low >= 1000 && high < 10_000
	decimals := max(0, shift-power)
	minor := map[int]int{1: 5, 2: 4, 5: 5}[digit]
	for i := first * float64(minor); i <= last*float64(minor); i++ {
		t := gonum.Tick{Value: i / float64(minor) * step}
		if math.Mod(i, float64(minor)) == 0 {
			// From whole numbers, so that 0.3 is not 0.30000000000000004.
			whole := i / float64(minor) * float64(digit)
			t.Value = scaled(whole, power)
			if plain {
				t.Label = separated(strconv.FormatFloat(scaled(whole, power-shift), 'f', decimals, 64), !years)
			} else {
				t.Label = strings.NewReplacer("e+", "e", "e-0", "e-", "-", "−").Replace(strconv.FormatFloat(t.Value, 'g', 6, 64))
			}
		}
		s.ticks = append(s.ticks, t)
	}
	return s
}

// scaled is x times a power of ten, rounded once.
func scaled(x float64, power int) float64 {
	if power < 0 {
		return x / math.Pow10(-power)
	}
	return x * math.Pow10(power)
}

// separated inserts thousands separators. Numbers of four digits get one only if four is set.
func separated(s string, four bool) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "−", s[1:]
	}
	whole, rest, decimals := strings.Cut(s, ".")
	if len(whole) > 4 || four {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if decimals {
		whole += "." + rest
	}
	if strings.Trim(whole, "0.,") == "" {
		sign = "" // −0 is 0
	}
	return sign + whole
}

// logarithmic returns an axis between powers of ten, with ticks at 1, 2, 3, … times powers of ten.
// Labels are at the powers and, if those are few, between them.
func logarithmic(low, high float64) scale {
	low, high = decade(low, high)
	s := scale{low: low, high: high}
	first, last := int(math.Round(detmath.Log10(low))), int(math.Round(detmath.Log10(high)))
	every := 1 + (last-first)/8 // not more than eight labels
	labelled := cmp.Or(map[int]string{1: "1 2 3 4 5 7", 2: "1 2 5", 3: "1 3"}[last-first], "1")
	for e := first; e <= last; e++ {
		for k := 1; k < 10 && (e < last || k == 1); k++ {
			t := gonum.Tick{Value: scaled(float64(k), e)}
			if strings.Contains(labelled, strconv.Itoa(k)) && (e-first)%every == 0 {
				t.Label = separated(strconv.FormatFloat(t.Value, 'f', max(0, -e), 64), true)
				// If a number needs an exponent, nearly as long ones get one, too.
				if e > 6 || e < -4 || last > 6 && e > 3 || first < -4 && e < -2 {
					t.Label = strconv.Itoa(k) + "e" + strconv.Itoa(e)
				}
			}
			s.ticks = append(s.ticks, t)
		}
	}
	return s
}

// decade widens a range to powers of ten.
func decade(low, high float64) (float64, float64) {
	if !(low > 0) || math.IsInf(low, 0) || math.IsInf(high, 0) {
		return 1, 10 // no data
	}
	first, last := math.Floor(detmath.Log10(low)+1e-9), math.Ceil(detmath.Log10(high)-1e-9)
	if last <= first {
		last = first + 1
	}
	return detmath.Pow(10, first), detmath.Pow(10, last)
}
