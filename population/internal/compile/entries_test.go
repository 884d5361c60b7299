package compile

import "testing"

// TestImmigrationIgnoresPer checks that a rate for each 100 individuals is multiplied by the size
// of the population, whether it is constant or varies.
func TestImmigrationIgnoresPer(t *testing.T) {
	m, err := compileText(`name: m
time: {unit: day, end: 10}
population: {size: 500, start: {a: rest}}
parameters: {season: {seasonal: {mean: 1 per day, amplitude: 50%, peak: 0 days, period: 5 days}}}
states: {a: {}}
immigration:
  - {rate: 2 per day, per: 100, enter: a}
  - {rate: 2 per day, enter: a}
  - {rate: season, per: 100, enter: a}
`)
	if err != nil {
		t.Fatal(err)
	}
	all := m.Program.FirstPhase.Immigration
	if all[0].Rate != 10 || all[1].Rate != 2 {
		t.Errorf("the rates are %v and %v, want 10 and 2", all[0].Rate, all[1].Rate)
	}
	if v := all[2].Varying; len(v) != 1 || v[0].Factor != 5 {
		t.Errorf("the varying rate is %+v, want one with the factor 5", v)
	}
}
