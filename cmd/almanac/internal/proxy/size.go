package proxy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes, written as 64kB, 1.5MB, 2GB, or 512.
type Size int64

var units = []struct {
	name string
	size float64
}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1}}

// Set reads one.
func (s *Size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if x *= u.size; err == nil && x >= 0 && x <= 1e15 && x == math.Trunc(x) {
			*s = Size(x)
			return nil
		}
		break
	}
	return fmt.Errorf("%q is not a number of bytes; wanted is one like 64kB, 1MB or 2GB", text)
}

// String is what Set reads.
func (s Size) String() string {
	for _, u := range units {
		if whole := Size(u.size); s != 0 && s%whole == 0 {
			return strconv.FormatInt(int64(s/whole), 10) + u.name
		}
	}
	return "0"
}

// Type is for the help.
func (s Size) Type() string { return "size" }
