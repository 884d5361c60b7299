package examples_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// An influenzaHousehold is one of influenza.yaml: its share of the households, adults and children.
type influenzaHousehold struct {
	share            float64
	adults, children int
}

var influenzaHouseholds = []influenzaHousehold{{0.30, 1, 0}, {0.32, 2, 0}, {0.10, 1, 1}, {0.18, 2, 2}, {0.10, 2, 1}}

// finalSizes returns how many adults and children of a household are infected on average, if each
// escapes infection from outside with a probability, by the equations of Addy, Longini and Haber
// (Biometrics 47, 1991): for every j up to the household s,
//
//	Σ C(s−i, j−i) P(i) / (φ(|s−j|)^|i| · escape^(s−j)) = C(s, j), over all i up to j,
//
// with P(i) the probability that i are infected in the end, and φ(k) that somebody who is infected
// infects none of k given others.
func finalSizes(h influenzaHousehold, escape [2]float64, phi func(k int) float64) (mean [2]float64) {
	choose := func(n, k int) float64 {
		c := 1.0
		for i := range k {
			c *= float64(n-i) / float64(i+1)
		}
		return c
	}
	s := [2]int{h.adults, h.children}
	p := map[[2]int]float64{}
	for a := 0; a <= s[0]; a++ {
		for c := 0; c <= s[1]; c++ {
			left := s[0] + s[1] - a - c
			outside := math.Pow(escape[0], float64(s[0]-a)) * math.Pow(escape[1], float64(s[1]-c))
			sum := 0.0
			for i, q := range p {
				if i[0] <= a && i[1] <= c {
					sum += choose(s[0]-i[0], a-i[0]) * choose(s[1]-i[1], c-i[1]) * q /
						math.Pow(phi(left), float64(i[0]+i[1])) / outside
				}
			}
			q := (choose(s[0], a)*choose(s[1], c) - sum) * math.Pow(phi(left), float64(a+c)) * outside
			p[[2]int{a, c}] = q
			mean[0], mean[1] = mean[0]+q*float64(a), mean[1]+q*float64(c)
		}
	}
	return mean
}

// With schools closed for good, influenza.yaml has contacts at home and elsewhere, and final sizes
// in households with infection from outside say how many adults and children fall ill. Contacts
// elsewhere are three times as many as in the file, so that there is a large outbreak without
// schools.
func TestInfluenzaFollowsFinalSizes(t *testing.T) {
	const mean, shape, home, contacts = 3.5, 4, 0.08, 9
	phi := func(k int) float64 { return math.Pow(1+home*float64(k)*mean/shape, -shape) }
	var size [2]float64 // of a household on average
	for _, h := range influenzaHouseholds {
		size[0], size[1] = size[0]+h.share*float64(h.adults), size[1]+h.share*float64(h.children)
	}
	var share [2]float64 // who fall ill
	for pressure := 1.0; ; {
		var ill [2]float64
		for _, h := range influenzaHouseholds {
			x := finalSizes(h, [2]float64{math.Exp(-0.04 * pressure), math.Exp(-0.07 * pressure)}, phi)
			ill[0], ill[1] = ill[0]+h.share*x[0], ill[1]+h.share*x[1]
		}
		before := pressure
		pressure = contacts * mean * (ill[0] + ill[1]) / (size[0] + size[1]) // contacts from outside, on average
		share = [2]float64{ill[0] / size[0], ill[1] / size[1]}
		if math.Abs(pressure-before) < 1e-9 {
			break
		}
	}
	source, err := os.ReadFile("influenza.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, r := range [][2]string{
		{"{school: 4 per day, closing", "{school: 0 per day, closing"},
		{"set: {school: 4 per day}", "set: {school: 0 per day}"},
		{"rate: 3 per day, chance", "rate: 9 per day, chance"}, {"end: 150", "end: 300"},
	} {
		if strings.Count(text, r[0]) != 1 {
			t.Fatalf("%q is not there once", r[0])
		}
		text = strings.Replace(text, r[0], r[1], 1)
	}
	m, err := population.Compile("influenza.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	const replicas = 4
	r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	for g, group := range m.Groups() {
		k := 0
		if strings.Contains(group.String(), "child") {
			k = 1
		}
		var sum, squares float64
		for i := range r.Runs {
			last := r.Runs[i].Rows() - 1
			in := r.Runs[i].In(g)
			all, well := 0, in.Count(last, 0)
			for s := range m.States() {
				all += in.Count(last, s)
			}
			x := 1 - float64(well)/float64(all)
			sum, squares = sum+x, squares+x*x
		}
		got := sum / replicas
		se := math.Sqrt((squares/replicas - got*got) / (replicas - 1))
		t.Logf("%v: %.4f ± %.4f fall ill, expected %.4f", group, got, se, share[k])
		if !(math.Abs(got-share[k]) <= 5*se+0.002) {
			t.Errorf("%v: %.4f ± %.4f fall ill, expected %.4f", group, got, se, share[k])
		}
	}
}
