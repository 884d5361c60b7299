package examples_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// The means over the replicas of coinfection.yaml are at most four standard errors off the solution
// of its differential equations, which is the limit for a large population.
func TestCoinfectionFollowsItsEquations(t *testing.T) {
	m, err := population.Load("coinfection.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const replicas = 6
	result, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{}
	end := coinfection(1).after(40)
	for _, in := range end.each() {
		want[tbStates[in.tb]] += end[in.index]
		want["hiv="+hivStates[in.hiv]] += end[in.index]
		want["care="+careStates[in.care]] += end[in.index]
	}
	compare := func(what string, value func(run *population.Run) float64) {
		var sum, squares float64
		for i := range result.Runs {
			x := value(&result.Runs[i])
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / replicas
		se := math.Sqrt((squares/replicas - mean*mean) / (replicas - 1))
		t.Logf("%s: %.6g ± %.2g, want %.6g", what, mean, se, want[what])
		if !(math.Abs(mean-want[what]) <= 4*se) {
			t.Errorf("%s: %.6g ± %.2g, want %.6g", what, mean, se, want[what])
		}
	}
	for i, state := range m.Counted() {
		compare(state, func(run *population.Run) float64 { return float64(run.Count(run.Rows()-1, i)) })
	}

	// The equations tell wrong models apart: if HIV did not matter to tuberculosis, far fewer would be
	// ill.
	if wrong := coinfection(0).after(40); 2*wrong.ill() > end.ill() {
		t.Errorf("without an effect of HIV on tuberculosis %.4g would be ill, with it %.4g", wrong.ill(), end.ill())
	}
}

var (
	tbStates   = []string{"susceptible", "recent", "latent", "active"}
	hivStates  = []string{"negative", "early", "advanced"}
	careStates = []string{"none", "treated"}
)

// A mixture is how many there are of each kind: of high and low risk, in each state of
// tuberculosis, of HIV and of care.
type mixture [2 * 4 * 3 * 2]float64

// A kind is a place in a mixture.
type kind struct{ risk, tb, hiv, care, index int }

func (n *mixture) each() (all []kind) {
	for i := range n {
		all = append(all, kind{i / 24, i / 6 % 4, i / 2 % 3, i % 2, i})
	}
	return all
}

func (k kind) at(tb, hiv, care int) int { return k.risk*24 + tb*6 + hiv*2 + care }

func (n *mixture) ill() (sum float64) {
	for _, k := range n.each() {
		if k.tb == 3 {
			sum += n[k.index]
		}
	}
	return sum
}

// equations are the differential equations of coinfection.yaml.
type equations struct {
	effect float64 // of HIV on tuberculosis: 1 as in the file, 0 for none
	now    mixture
	kinds  []kind
}

func coinfection(effect float64) *equations {
	e := &equations{effect: effect}
	e.kinds = e.now.each()
	for tb, count := range []float64{100_000 - 30_000 - 300, 0, 30_000, 300} {
		e.now[kind{}.at(tb, 0, 0)] = count * 0.3 * 0.98
		e.now[kind{}.at(tb, 1, 0)] = count * 0.3 * 0.02
		e.now[kind{risk: 1}.at(tb, 0, 0)] = count * 0.7
	}
	return e
}

// change is the derivative.
func (e *equations) change(n *mixture, uptake float64) (d mixture) {
	var total, ill, infectious float64
	for _, k := range e.kinds {
		x := n[k.index]
		total += x
		if k.tb == 3 {
			ill += x
		}
		if k.hiv > 0 {
			infectious += x * []float64{1, 0.05}[k.care]
		}
	}
	for _, k := range e.kinds {
		move := func(rate float64, to int) {
			d[k.index] -= rate * n[k.index]
			if to >= 0 {
				d[to] += rate * n[k.index]
			}
		}
		hiv := k.hiv
		if e.effect == 0 {
			hiv = 0
		}
		soon, later := []float64{0.03, 0.3, 0.6}[hiv], []float64{0.001, 0.01, 0.05}[hiv]
		if k.care == 1 && e.effect > 0 {
			soon, later = 0.1, 0.005
		}
		switch k.tb {
		case 0:
			move(10*ill/total, k.at(1, k.hiv, k.care))
		case 1:
			move(soon, k.at(3, k.hiv, k.care))
			move(0.5, k.at(2, k.hiv, k.care))
		case 2:
			move(10*ill/total, k.at(1, k.hiv, k.care))
			move(later, k.at(3, k.hiv, k.care))
		case 3:
			move(0.8, k.at(2, k.hiv, k.care))
			move([]float64{0.1, 0.4, 0.4}[k.hiv], -1)
		}
		switch k.hiv {
		case 0:
			if k.risk == 0 {
				move(infectious/total, k.at(k.tb, 1, k.care))
			}
		case 1:
			move([]float64{0.1, 0.01}[k.care], k.at(k.tb, 2, k.care))
		case 2:
			move([]float64{0.5, 0.03}[k.care], -1)
		}
		switch {
		case k.care == 1:
			move(0.05, k.at(k.tb, k.hiv, 0))
		case k.hiv > 0:
			move(uptake, k.at(k.tb, k.hiv, 1))
		}
		move(0.02, -1)
	}
	d[kind{}.at(0, 0, 0)] += 2_500 * 0.3
	d[kind{risk: 1}.at(0, 0, 0)] += 2_500 * 0.7
	return d
}

// after solves the equations by the method of Runge and Kutta, in steps of 1/20 year.
func (e *equations) after(years int) *mixture {
	const steps = 20
	plus := func(n, d *mixture, h float64) (sum mixture) {
		for i := range n {
			sum[i] = n[i] + h*d[i]
		}
		return sum
	}
	for year := range years {
		uptake := 0.0
		if year >= 20 {
			uptake = 0.3
		}
		for range steps {
			const h = 1.0 / steps
			a := e.change(&e.now, uptake)
			second := plus(&e.now, &a, h/2)
			b := e.change(&second, uptake)
			third := plus(&e.now, &b, h/2)
			c := e.change(&third, uptake)
			fourth := plus(&e.now, &c, h)
			d := e.change(&fourth, uptake)
			for i := range e.now {
				e.now[i] += h / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
			}
		}
	}
	return &e.now
}
