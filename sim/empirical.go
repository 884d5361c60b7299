package sim

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Empirical draws from data: each of the values with the same probability (the bootstrap). It panics if there is none, or one that is
// not a finite number.
func Empirical(data []float64) Distribution {
	data = checkData("empirical", data, 1)
	var t Tally
	for _, x := range data {
		t.Add(x)
	}
	return Distribution{
		fmt.Sprintf("empirical(%d values)", len(data)), t.Mean(), math.Sqrt(t.squares / float64(t.n)),
		func(r *rand.Rand) float64 { return data[r.IntN(len(data))] },
	}
}

// Interpolated draws from data and from between: its law rises by the same probability, evenly, from each value to the next larger
// one. It panics if there are fewer than two values, or one that is not a finite number.
func Interpolated(data []float64) Distribution {
	data = checkData("interpolated", data, 2)
	slices.Sort(data)
	var mean, square Tally
	for i, x := range data[1:] {
		mean.Add((data[i] + x) / 2)
	}
	for i, x := range data[1:] { // about the mean, so that a large offset does no harm
		a, b := data[i]-mean.Mean(), x-mean.Mean()
		square.Add((float64(a*a) + float64(a*b) + float64(b*b)) / 3)
	}
	return Distribution{
		fmt.Sprintf("interpolated(%d values)", len(data)), mean.Mean(), math.Sqrt(square.Mean()),
		func(r *rand.Rand) float64 {
			i := r.IntN(len(data) - 1)
			return data[i] + float64(r.Float64()*(data[i+1]-data[i]))
		},
	}
}

// checkData is a copy of data that can be drawn from.
func checkData(name string, data []float64, least int) []float64 {
	if len(data) < least {
		panic(fmt.Sprintf("sim: %s(%d values): there must be at least %d", name, len(data), least))
	}
	for _, x := range data {
		if !finite(x) {
			panic(fmt.Sprintf("sim: %s: %v is among the values; they must be finite", name, x))
		}
	}
	return slices.Clone(data)
}

// Intervals are the times between successive ones.
func Intervals(times []float64) []float64 {
	var all []float64
	for i := 1; i < len(times); i++ {
		all = append(all, times[i]-times[i-1])
	}
	return all
}

// ReadColumn reads the numbers in one column of a table in CSV, by the name in the first line: times of arrivals, durations of
// service. An error says in which line it is.
func ReadColumn(from io.Reader, column string) ([]float64, error) {
	table := csv.NewReader(from)
	table.TrimLeadingSpace = true
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("sim: the table is empty; its first line should have the names of the columns")
	} else if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // which some programs put first
	k := slices.IndexFunc(header, func(name string) bool { return strings.TrimSpace(name) == column })
	if k < 0 {
		return nil, fmt.Errorf("sim: line 1: there is no column %q; there is %s", column, quoted(header))
	}
	var all []float64
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(row[k]), 64)
		if err != nil || !finite(x) {
			line, at := table.FieldPos(k)
			return nil, fmt.Errorf("sim: line %d, column %d: %q should be a finite number", line, at, row[k])
		}
		all = append(all, x)
	}
}
