package li

import (
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
	"github.com/almanac-sim/almanac/spray"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort { return effort{scale: 0.1, theory: reportTheory()} }

func TestClaims(t *testing.T) {
	fails := map[string]bool{"spray-lemma-5.2": true, "spray-theorems-5.3-6.2": true, "spray-padding": true,
		"spray-dirty-perfect": true, "spray-perfect-conjecture": true}
	for _, c := range claims(little()) {
		t.Run(c.Name, func(t *testing.T) {
			want := reproduce.Holds
			if fails[c.Name] {
				want = reproduce.FailsThus
			}
			reproducetest.Illustrated(t, reproducetest.Verdict(t, c, 2014, want))
			if c.Paper != paper || !strings.HasPrefix(c.Name, "spray-") {
				t.Errorf("%s of %s", c.Name, c.Paper)
			}
		})
	}
}

// What is wrong in a theory or in a walk must be seen, also with little effort.
func TestWrongTheory(t *testing.T) {
	report := reportTheory()
	times := func(bound func(mean, delta float64) float64, factor float64) func(mean, delta float64) float64 {
		return func(mean, delta float64) float64 { return bound(factor*mean, delta) }
	}
	tight := func(y *theory) { y.above, y.below = times(report.above, 4), times(report.below, 3) }
	basic := func(change func(w *spray.Walk)) func(*theory) {
		return func(y *theory) {
			y.basic = func(p int, f float64) spray.Walk {
				w := report.basic(p, f)
				change(&w)
				return w
			}
		}
	}
	perfect := func(change func(w *spray.Walk)) func(*theory) {
		return func(y *theory) {
			y.perfect = func(p int) spray.Walk {
				w := report.perfect(p)
				change(&w)
				return w
			}
		}
	}
	for _, test := range []struct {
		name, claim string
		spoil       func(*theory)
		checks      []string // parts of the names of checks that must fail
	}{
		{"a bound of a half of 1/p", "spray-theorem-5.1",
			func(y *theory) { y.share = func(p int) float64 { return 0.5 / float64(p) } },
			[]string{"elements that more than 1/p"}},
		{"half the heights", "spray-theorem-5.1", perfect(func(w *spray.Walk) { w.Start = (w.Start + 1) / 2 }),
			[]string{"elements that more than 1/p", "largest share times p"}},
		{"tighter bounds", "spray-lemma-4.1", tight, []string{"over the Chernoff bound"}},
		{"tighter bounds", "spray-lemma-5.2", tight, []string{"over exp(−β²μ/3)", "over exp(−β²μ/2)"}},
		{"a printed exponent that is right", "spray-lemma-5.2", func(y *theory) {
			y.above = func(_, delta float64) float64 { return report.above(16, delta) }
			y.below = func(_, delta float64) float64 { return report.below(16, delta) }
		}, []string{"the printed exp(−β²(k+1)/3)", "the printed exp(−β²(k+1)/2)"}},
		{"a start two heights higher", "spray-corollary-4.3", basic(func(w *spray.Walk) { w.Start += 2 }),
			[]string{"farther than σ·p·f·log³p", "largest p"}},
		{"tighter bounds", "spray-corollary-4.3", func(y *theory) { y.below = times(report.below, 8) },
			[]string{"less the Chernoff bounds"}},
		{"a start one height higher", "spray-theorems-5.3-6.2", basic(func(w *spray.Walk) { w.Start++ }),
			[]string{"off 2/(p·f·log³p)", "off 1/(p·f·log³p)", "that no spray reaches"}},
		{"fewer steps", "spray-theorems-5.3-6.2", basic(func(w *spray.Walk) { w.Most = (w.Most + 3) / 4 }),
			[]string{"C that is needed"}},
		{"a quarter of the padding", "spray-padding", func(y *theory) {
			y.full = func(p int, f float64) spray.Walk {
				w := report.full(p, f)
				w.Padding /= 4
				return w
			}
		}, []string{"p = 2", "share off what is expected"}},
		{"starts that are too low", "spray-collisions", func(y *theory) {
			low := func(w spray.Walk) spray.Walk { w.Start, w.Most = 1, min(w.Most, 3); return w }
			y.perfect = func(p int) spray.Walk { return low(report.perfect(p)) }
			y.basic = func(p int, f float64) spray.Walk { return low(report.basic(p, f)) }
		}, []string{"PerfectSpray, largest share", "BasicSpray, largest share", "PerfectSpray, mean rounds"}},
		{"PerfectSpray for BasicSpray", "spray-collisions", func(y *theory) {
			y.basic = func(p int, _ float64) spray.Walk { return report.perfect(p) }
		}, []string{"over that of uniform choice, most"}},
		{"steps from 0 on", "spray-dirty", basic(func(w *spray.Walk) { w.Least, w.Most = 0, 4 }),
			[]string{"mean height of the front off 2", "elements of height log p", "where sprays land off"}},
		{"steps from 1 on", "spray-dirty-perfect", perfect(func(w *spray.Walk) { w.Least, w.Most = 1, w.Most+1 }),
			[]string{"PerfectSpray: mean height of the front", "not lower by 5 standard errors", "every 2p-th exact, hold model",
				"growth of the mean"}},
		{"BasicSpray for PerfectSpray", "spray-perfect-conjecture", func(y *theory) {
			y.perfect = func(p int) spray.Walk { return report.basic(min(p, 128), 1) }
		}, []string{"PerfectSpray, growth of the relative variance", "that no spray hits"}},
	} {
		t.Run(test.claim+": "+test.name, func(t *testing.T) {
			e := little()
			test.spoil(&e.theory)
			reproducetest.Notices(t, reproducetest.Named(t, claims(e), test.claim), 2014, test.checks...)
		})
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, Claims()) }

func TestSeeds(t *testing.T) {
	c := reproducetest.Named(t, claims(little()), "spray-corollary-4.3")
	reproducetest.Seeded(t, c, func(f reproduce.Finding) float64 { return f.Tables[0].Rows[0][4] })
}
