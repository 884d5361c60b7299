package population_test

import (
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// A season with a period of the calendar has its peak on the same date of every year: of 29
// February, on the last day that February has. Arrivals between two rows follow its integral.
func TestSeasonOfTheCalendar(t *testing.T) {
	const model = `
name: season
time: {unit: day, start: 2019-01-01, end: 2021-03-01}
population: {size: 0, start: {a: rest}}
states: {a: {}}
immigration: {rate: {seasonal: {mean: 20 per day, amplitude: 100%%, peak: 2020-02-29, period: 1 calendar year}}, enter: a}
record: {every: 1 day}
`
	r := exactSimulate(t, 1, testscale.Size(40, 1000), model)
	// Peaks in days after the start; between two of them the phase is linear.
	peaks := []float64{58 - 365, 58, 424, 789, 789 + 365}
	integral := func(day float64) float64 { // from the first peak on
		sum := 0.0
		for i := range peaks[1:] {
			period := peaks[i+1] - peaks[i]
			x := min(day-peaks[i], period)
			if x <= 0 {
				break
			}
			sum += 20 * (x + period/(2*math.Pi)*math.Sin(2*math.Pi*x/period))
		}
		return sum
	}
	for _, day := range []int{58, 240, 424, 500, 606, 789, 790} {
		checkMean(t, "arrivals", r.counts(day, "a"), integral(float64(day))-integral(0))
	}
	m, err := population.Compile("model.yaml", []byte(strings.ReplaceAll(model, "%%", "%")))
	if err != nil || !strings.Contains(m.Explain(), "every 1 calendar year from then") {
		t.Errorf("%v", err)
	}
	undated := strings.NewReplacer("2019-01-01, end: 2021-03-01", "0, end: 700", "2020-02-29", "50 days", "%%", "%").Replace(model)
	if _, err := population.Compile("model.yaml", []byte(undated)); err == nil ||
		!strings.Contains(err.Error(), "there are no calendar months; write start: 2020-03-01 in time") {
		t.Errorf("without dates: %v", err)
	}
}
