package li

import (
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/reproducetest"
	"github.com/almanac-sim/almanac/spray"
)

// little is enough for the checks to hold, and for wrong theories to be noticed.
func little() effort { return effort{scale: 0.1, theory: reportTheory()} }

// Claims have the verdicts that were found before; and what is wrong in a theory or in a walk is
// seen. For every claim there is something wrong that is tried.
func TestClaims(t *testing.T) {
	for _, c := range claims(little()) {
		t.Run(c.Name, func(t *testing.T) {
			f := reproducetest.Verdict(t, c, 2014)
			reproducetest.Illustrated(t, f)
			if c.Paper != "Li, SprayLists" || !strings.HasPrefix(c.Name, "spray-") {
				t.Errorf("%s of %s", c.Name, c.Paper)
			}
			tried := 0
			for _, wrong := range spoiledTheories() {
				if wrong.claim != c.Name || tried > 0 && !testscale.On {
					continue
				}
				tried++
				t.Run(wrong.name, func(t *testing.T) {
					e := little()
					wrong.spoil(&e.theory)
					reproducetest.Notices(t, reproduce.Result{Verdict: f.Verdict(), Checks: f.Checks}, reproducetest.Named(t,
						claims(e), c.Name), 2014, wrong.checks...)
				})
			}
			if tried == 0 {
				t.Error("nothing is tried that is wrong")
			}
		})
	}
}

// A spoiled theory has another number, formula or walk than the report's. The verdict on the claim
// must change, and so must the checks that are named by a part of what they say, also with little
// effort.
type spoiled struct {
	name, claim string
	spoil       func(*theory)
	checks      []string
}

func spoiledTheories() []spoiled {
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
			y.modified = func(p int) spray.Walk {
				w := report.modified(p)
				change(&w)
				return w
			}
		}
	}
	lower := func(y *theory) { y.height = func(r *random.Stream) int { return (drawHeight(r) + 2) / 3 } }
	low := func(w *spray.Walk) { w.Heights, w.Most = []int{1}, min(w.Most, 3) }
	further := func(y *theory) { y.separated = func(alpha float64) float64 { return 1 + alpha } }
	return []spoiled{
		{"tighter bounds", "spray-theorem-1.2", tight, []string{"exp(−μ'·δ²/3)", "exp(−μ'·δ²/2)"}},
		{"one in eight as high again, not one in two", "spray-delete-min", lower, []string{"mean links off 2"}},
		{"runs of 2·log p", "spray-runs", func(y *theory) { y.run = func(l float64) float64 { return 2 * l } },
			[]string{"runs of log p + 0", "runs of log p + 2"}},
		{"one in eight as high again, not one in two", "spray-first-element", lower, []string{"off (2 − 2^(1−log p))"}},
		{"calls that fail with 1/p", "spray-constant-calls",
			func(y *theory) { y.fails = func(l float64) float64 { return math.Exp2(-l) } }, []string{"calls after which"}},
		{"4·log k for 3·log k", "spray-proposition-2.1", func(y *theory) { y.highest = 4 },
			[]string{"one times k², largest"}},
		{"2·log k for 3·log k", "spray-proposition-2.1", func(y *theory) { y.highest = 2 }, []string{"or of one as high"}},
		{"one in eight as high again, not one in two", "spray-proposition-2.2", lower, []string{"for each doubling",
			"mean steps at a height"}},
		{"√p/4 steps at a height", "spray-start-height", func(y *theory) {
			y.perfect = func(p int) spray.Walk {
				w := report.perfect(p)
				w.Most = int(math.Sqrt(float64(p))) / 4
				return w
			}
		}, []string{"exponent of p in the reach", "does not fail"}},
		{"a spray that goes down one height at a time", "spray-steps",
			basic(func(w *spray.Walk) { w.Heights = heightsDown(w.Heights[0], 1) }), []string{"(⌈log " +
				"p/log log p⌉ + 1)"}},
		{"steps at one height alone", "spray-steps", basic(func(w *spray.Walk) { w.Heights = []int{1} }),
			[]string{"over f·log³p, largest"}},
		{"a quarter of the padding", "spray-padding", func(y *theory) {
			y.full = func(p int, f float64) spray.Walk {
				w := report.full(p, f)
				w.Padding /= 4
				return w
			}
		}, []string{"share off what is expected"}},
		{"starts that are too low", "spray-collisions", func(y *theory) {
			perfect(low)(y)
			basic(low)(y)
		}, []string{"PerfectSpray, largest share", "BasicSpray, largest share", "PerfectSpray, mean rounds"}},
		{"PerfectSpray for BasicSpray", "spray-delete-insert", func(y *theory) {
			y.basic = func(p int, _ float64) spray.Walk { return report.perfect(p) }
		}, []string{"deletes, BasicSpray: largest group"}},
		{"half as many tall elements", "spray-naive-remove", func(y *theory) {
			y.height = func(r *random.Stream) int { return max(1, drawHeight(r)-1) }
		}, []string{"off (k+1)·p/2 − k"}},
		{"steps from 0 on", "spray-dirty", basic(func(w *spray.Walk) { w.Least, w.Most = 0, 4 }),
			[]string{"mean height of the front off 2", "elements of height log p", "where sprays land off"}},
		{"steps from 0 on", "spray-dirty-perfect", perfect(func(w *spray.Walk) { w.Least = 0 }),
			[]string{"mean height of the front", "elements of height log p", "where sprays land off"}},
		{"steps from 1 on", "spray-dirty-modified", perfect(func(w *spray.Walk) { w.Least = 1 }),
			[]string{"by itself, p = 32: mean height of the front", "removal exact, p = 32: mean of where",
				"hold model, p = 32: elements of height log p"}},
		{"steps from 1 on", "spray-redraw", perfect(func(w *spray.Walk) { w.Least = 1 }),
			[]string{"of all every n removals"}},
		{"a minus sign", "spray-lemma-4.1", func(y *theory) { y.sign41 = -1 }, []string{"bound as printed"}},
		{"tighter bounds", "spray-lemma-4.1", tight, []string{"over the Chernoff bound"}},
		{"1+α for α", "spray-theorem-4.2", further, []string{"c as printed"}},
		{"σ = 1", "spray-theorem-4.2", func(y *theory) { y.sigma = func(float64) float64 { return 1 } },
			[]string{"(1+α)·σ·E_k apart can meet"}},
		{"1+α for α", "spray-corollary-4.3", further, []string{"farther than α·σ·p·f·log³p"}},
		{"a start two heights higher", "spray-corollary-4.3", basic(func(w *spray.Walk) { *w = raised(*w, 2) }),
			[]string{"lists in which a spray can go farther than σ·p·f·log³p"}},
		{"tighter bounds", "spray-corollary-4.3", func(y *theory) { y.below = times(report.below, 8) },
			[]string{"beyond the Chernoff bounds"}},
		{"a bound of a half of 1/p", "spray-theorem-5.1",
			func(y *theory) { y.share = func(p int) float64 { return 0.5 / float64(p) } },
			[]string{"steps 0 … log p", "steps 1 … log p"}},
		{"half the heights", "spray-theorem-5.1",
			perfect(func(w *spray.Walk) { w.Heights = heightsDown((w.Heights[0]+1)/2, 1) }),
			[]string{"steps 0 … log p", "steps 1 … log p"}},
		{"tighter bounds", "spray-lemma-5.2", tight, []string{"over exp(−β²μ/3)", "over exp(−β²μ/2)"}},
		{"a printed exponent that is right", "spray-lemma-5.2", func(y *theory) {
			y.above = func(_, delta float64) float64 { return report.above(16, delta) }
			y.below = func(_, delta float64) float64 { return report.below(16, delta) }
		}, []string{"the printed exp(−β²(k+1)/3)", "the printed exp(−β²(k+1)/2)"}},
		{"β = 1/√log p", "spray-proofs-5.3-6.2", func(y *theory) {
			y.slack = func(l float64) float64 { return 1 / math.Sqrt(l) }
			y.slack62 = y.slack
		}, []string{"5.3: 8 times", "6.2: 8 times"}},
		{"another γ1", "spray-lemma-6.1", func(y *theory) {
			y.gamma = func(l, beta float64) (float64, float64) {
				gamma0, gamma1 := report.gamma(l, beta)
				return gamma0, 0.9 * gamma1
			}
		}, []string{"one height higher"}},
		{"another γ0", "spray-lemma-6.1", func(y *theory) {
			y.gamma = func(l, beta float64) (float64, float64) {
				_, gamma1 := report.gamma(l, beta)
				return 1 / (1 + beta), gamma1
			}
		}, []string{"one height higher", "from γ0"}},
		{"a start one height higher", "spray-theorems-5.3-6.2", basic(func(w *spray.Walk) { *w = raised(*w, 1) }),
			[]string{"off 2/(p·f·log³p)", "in the interval off 1/(p·f·log³p)", "that no spray reaches"}},
		{"fewer steps", "spray-theorems-5.3-6.2", basic(func(w *spray.Walk) { w.Most = (w.Most + 3) / 4 }),
			[]string{"C that is needed"}},
		{"BasicSpray for PerfectSpray", "spray-perfect-conjecture", func(y *theory) {
			y.perfect = func(p int) spray.Walk { return report.basic(min(p, 128), 1) }
		}, nil},
		{"twice at the first height", "spray-perfect-uniform",
			perfect(func(w *spray.Walk) { w.Heights = append([]int{w.Heights[0]}, w.Heights...) }),
			[]string{"less 1, steps 0", "less 1, steps 1"}},
		{"a start one height higher", "spray-perfect-uniform",
			perfect(func(w *spray.Walk) { w.Heights = heightsDown(w.Heights[0]+1, 1) }), []string{"middle eighth off 2"}},
	}
}

func TestStops(t *testing.T) { reproducetest.Stops(t, Claims()) }

func TestSeeds(t *testing.T) {
	c := reproducetest.Named(t, claims(little()), "spray-corollary-4.3")
	reproducetest.Seeded(t, c, func(f reproduce.Finding) float64 { return f.Tables[0].Rows[0][4] })
}
