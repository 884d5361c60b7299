package engine

import (
	"fmt"
	"testing"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// rich is a model with nearly all that windows allow: seasonal rates, values that change along a
// line, splits, cells of attributes, inheritance, time since, and interventions of every kind.
const rich = `
name: rich
time: {unit: year, end: 3}
population:
  size: %d
  age: {by: sex, f: {uniform: {low: 0 years, high: 60 years}}, m: {uniform: {low: 0 years, high: 30 years}}}
  start: {ill: {share: %d%%, since: {uniform: {low: 0 years, high: 0.5 years}}}, old: 10%%, well: rest}
attributes:
  region: {north: 30%%, south: 70%%}
  sex: {f: 0.5, m: 0.5}
parameters:
  beta: {seasonal: {mean: %.3g per year, amplitude: 40%%, peak: 0 days, period: 1 year}}
  relapse: {by: region, north: 0.5 per year, south: {line: {0: 1 per year, 3: 0.1 per year}}}
  go: {exponential: {mean: 2 years}}
  share: {line: {0: 10%%, 3: 70%%}}
states:
  well: {}
  new:
    split:
      - {chance: share, after: {gamma: {mean: {by: sex, f: 0.2 years, m: 0.4 years}, shape: 2}}, to: ill, name: fast}
      - {otherwise: true, rate: relapse, to: old}
    race: [{after: go, where: {sex: f}, to: out, name: gone}]
  old: {race: [{rate: relapse, to: ill, name: relapse}, {rate: 0.3 per year, to: old, name: again}]}
  ill: {race: [{after: {weibull: {scale: 0.4 years, shape: 1.5}}, to: well},
    {rate: {by: sex, f: 0.3 per year, m: 0.1 per year}, to: out}]}
transmission:
  - {from: ill, rate: beta, to: {well: new, new: ill}, name: infection}
  - {from: old, where: {region: north}, rate: 2 per year, chance: 30%%, to: {ill: out, old: well}, name: odd}
always:
  - {after: {hazard: {0 years: 0.1 per year, 10 years: 0.01 per year, 50 years: 0.2 per year}}, to: out, name: death}
  - {after: {uniform: {low: 1 year, high: 30 years}}, from: well, chance: {by: sex, f: share, m: 20%%}, to: old,
     name: vaccination}
  - {after: go, where: {region: south}, to: out, name: emigration}
births:
  - {rate: {seasonal: {mean: %.3g per year, amplitude: 90%%, peak: 0 days, period: 1 year}}, where: {sex: f},
     enter: {old: share, well: rest}, inherit: region, name: birth}
immigration:
  - {rate: {line: {0: 10 per year, 3: %d per year}}, enter: {new: share, well: rest},
     age: {uniform: {low: 18 years, high: 40 years}}, name: come}
  - {rate: 30 per year, enter: old, with: {region: north}}
interventions:
  - {at: 0.5 years, every: 0.25 years, until: 2 years, who: [well, old], where: {region: north},
     coverage: {by: sex, f: 20%%, m: share}, to: new, name: campaign}
  - {at: 0.8 years, every: 0.3 years, who: well, count: 20, to: old, name: dose}
  - {at: 1.1 years, who: everyone, where: {sex: f}, coverage: 30%%, move: {region: north}, name: north}
  - {at: 1.2 years, set: {go: {exponential: {mean: 0.7 years}}, relapse: 3 per year}}
  - {at: 1.7 years, enter: ill, count: 60, name: ship}
  - {at: 2.2 years, set: {beta: 1 per year}}
record: {every: %s, incidence: true}
`

// A rich model must give the same results by windows as with the calendar.
func TestRichModelsDifferByWindows(t *testing.T) {
	s := random.New(99)
	atOnce, inOrder := 0, 0
	models := testscale.Size(5, 30)
	if interleave.Enabled && !testscale.On {
		models = 3
	}
	for k := range models {
		text := fmt.Sprintf(rich, 100+s.Below(2000), 1+s.Below(15), 1+s.Float64()*20, s.Float64()*2, 30+s.Below(900),
			[]string{"0.25 years", "1 month", "1 year"}[s.Below(3)])
		x, y := compareWays(t, text, uint64(k), &s, []int{1, 2, 4})
		atOnce, inOrder = atOnce+x, inOrder+y
	}
	if atOnce < 2*inOrder && !interleave.Enabled {
		t.Errorf("%d windows in parallel, %d in order", atOnce, inOrder)
	}
}
