//go:build !race

package engine

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A contact takes one number of its maker's stream, whatever becomes of it: with a chance or
// without, by group, with nobody to meet, or after many tries.
func TestContactTakesOneWord(t *testing.T) {
	for _, source := range []string{
		"{from: a, rate: 1 per day, to: {a: a}}",
		"{from: a, rate: 1 per day, chance: 30%, to: {a: a}}",
		"{from: a, rate: 1 per day, chance: 30%, to: {b: a}}",
		"{from: a, rate: 1 per day, chance: 60%, to: {a: a}, mixing: {by: region, matrix: [[0.5, 0.5], [0.5, 0.5]]}}",
	} {
		for _, size := range []string{"1", "40"} {
			m := programOf(t, "name: contacts\ntime: {unit: day, end: 1}\npopulation: {size: "+size+", start: {a: rest}}\n"+
				"attributes: {region: {north: 50%, south: 50%}}\nstates: {a: {}, b: {}}\n"+
				"transmission: ["+source+"]\nalways: [{rate: 0.1 per day, to: out}]\n")
			r := Run{sparseRule: usualSparse}
			if err := r.Start(context.Background(), m, 1, 0); err != nil {
				t.Fatal(err)
			}
			for id := r.firstID + 4; int(id) < r.Used; id++ { // nearly all are gone, which is where tries are many
				r.leave(id)
				r.living = nil
			}
			maker, met := r.firstID, 0
			do := &r.phase.States[0].Rates[len(r.phase.States[0].Rates)-1].Do
			for range 200 {
				r.Queue.Cancel(eventqueue.ID(maker))
				want, others := *r.stream(maker), r.Events
				want.Uint64() // for the contact
				want.Exp()    // for the next event
				r.OnEvent = func(*Event) { met++ }
				r.numbers = store.Extend(r.numbers, r.capacity)
				r.do(maker, 0, do)
				if *r.stream(maker) != want || r.Events != others {
					t.Fatalf("%s: a contact among %d took more than one draw, or none", source, r.Alive)
				}
			}
			if meets := size != "1" && !strings.Contains(source, "{b: a}"); (met > 0) != meets {
				t.Errorf("%s, size %s: %d contacts took effect", source, size, met)
			}
		}
	}
}

// What is hashed from a word is uniform, and the choices, the group and the chance know nothing of
// each other.
func TestContactSeedIsBiased(t *testing.T) {
	const n, cells = 64_000, 8
	var pairs [4][cells * cells]int
	s := random.New(3)
	for i := range n {
		word := s.Uint64()
		if i%2 == 0 {
			word = uint64(i) << 20 // words that differ in few bits are no worse
		}
		l, choices := contactSeed(word), random.Stream(word)
		first, second := choices.Below(cells), choices.Below(cells)
		group, chance := uint64(l.uniform(purposeGroup)*cells), uint64(l.uniform(purposeChance)*cells)
		pairs[0][first*cells+second]++
		pairs[1][first*cells+chance]++
		pairs[2][group*cells+chance]++
		pairs[3][group*cells+first]++
	}
	for k, counts := range pairs {
		chi, want := 0.0, float64(n)/(cells*cells)
		for _, c := range counts {
			chi += (float64(c) - want) * (float64(c) - want) / want
		}
		// χ² with 63 degrees of freedom has mean 63 and variance 126.
		if z := (chi - (cells*cells - 1)) / math.Sqrt(2*(cells*cells-1)); math.Abs(z) > 4 {
			t.Errorf("pair %d: χ² is %.1f, %.1f standard errors from its mean", k, chi, z)
		}
	}
}
