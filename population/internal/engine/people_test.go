//go:build !race

package engine

import (
	"testing"
)

// What is right for each group and at each time is not refused because of what holds for others and
// at others: women may be older than the oldest man, and shares may be large in turn.
func TestRightForEach(t *testing.T) {
	m := programOf(t, text("testdata/each"))
	walk(t, &Run{sparseRule: usualSparse}, m, 1, 0.25)
}

// The invariants hold whatever is planned: for those who begin in groups, who inherit, who are
// picked, and whom something that waits is about.
func TestInvariantsOfPeople(t *testing.T) {
	m := programOf(t, `
name: people
time: {unit: day, start: 0, end: 20}
population:
  size: 90
  groups:
    - {count: 30, with: {g: x}, start: {a: {share: 50%, since: {uniform: {low: 0 days, high: 3 days}}}, b: rest}}
    - {count: 60, with: {g: y}, start: {b: rest}}
attributes: {g: {x: 50%, y: 50%}}
parameters: {r: 0.3 per day}
states: {a: {race: [{after: 3 days, to: b}]}, b: {race: [{after: {gompertz: {rate: 0.1 per day, growth: 0.1 per day}}, to: c}]}, c: {race: [{rate: r, to: out}]}}
transmission: [{from: a, rate: 0.5 per day, to: {b: a}, mixing: {by: g, matrix: [[0.9, 0.1], [0.2, 0.8]]}}, {from: c, rate: 0.1 per day, to: {c: a}}]
births: {rate: 0.08 per day, enter: {a: 30%, b: rest}, inherit: all}
interventions:
  - {every: 2 days, who: [a, b], count: 3, to: c}
  - {every: 5 days, who: everyone, count: 40, move: {g: y}}
  - {when: {c: above 30%}, again: true, who: c, count: 5, to: out}
  - {when: {total: below 60}, again: true, enter: {a: 50%, c: rest}, with: {g: x}, count: 20}
  - {when: {a: below 10}, again: true, set: {r: 0.6 per day}}
  - {when: {a: above 10}, again: true, set: {r: 0.3 per day}}
`)
	fired := make([]int, len(m.Triggered))
	for seed := range uint64(20) {
		for _, rule := range []sparseRule{usualSparse, {1, 100, 0}, {1, 0, 100}} {
			r := Run{sparseRule: rule}
			walk(t, &r, m, seed, 0.25)
			for k, n := range r.waiting.done {
				fired[k] += n
			}
		}
	}
	for k, n := range fired {
		if n == 0 {
			t.Errorf("%s never happened", m.Triggered[k].What)
		}
	}
}
