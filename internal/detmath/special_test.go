package detmath

import (
	"math"
	"testing"
)

// The values of these tests are of mpmath, with 50 digits or more.

// closely reports an error of more than some units of 2⁻⁵³ of the value.
func closely(t *testing.T, what string, got, want, units float64, at ...float64) {
	t.Helper()
	if got != want && !(math.Abs(got/want-1) <= units*0x1p-53) {
		t.Errorf("%s%v is %v, want %v: off by %.1f units", what, at, got, want, math.Abs(got/want-1)*0x1p53)
	}
}

func TestGamma(t *testing.T) {
	for _, c := range [][2]float64{
		{1e-300, 6.9077552789821370518e+2},
		{0.01, 4.5994798780420217016},
		{0.3, 1.0957979948180755606},
		{0.75, 2.0328095143129537148e-1},
		{1.0009765625, -5.629031799912046317e-4},
		{1.5, -1.2078223763524522235e-1},
		{1.9990234375, -4.1256773597148940171e-4},
		{2.25, 1.248717148923965943e-1},
		{3.5, 1.2009736023470742248},
		{11.5, 1.629200047656724132e+1},
		{12, 1.7502307845873885839e+1},
		{50.5, 1.4651925549072062722e+2},
		{1000, 5.9052204232091812118e+3},
		{1e15, 3.353877639491066891e+16},
	} {
		closely(t, "Lgamma", Lgamma(c[0]), c[1], 6, c[0])
	}
	for _, c := range [][2]float64{
		{0.01, 9.9432585119150601632e+1},
		{0.75, 1.2254167024651776451},
		{1.5, 8.8622692545275801365e-1},
		{3.5, 3.3233509704478425512},
		{11.5, 1.1899423083962248457e+7},
		{12, 3.99168e+7},
		{50.5, 4.2904629123519598109e+63},
		{170.5, 5.5620924145599996107e+305},
	} {
		closely(t, "Gamma", Gamma(c[0]), c[1], 12, c[0])
	}
	factorial := 1.0
	for n := range 20 {
		closely(t, "Gamma", Gamma(float64(n+1)), factorial, 12, float64(n+1))
		factorial *= float64(n + 1)
	}
	if Lgamma(1) != 0 || Lgamma(2) != 0 || !math.IsInf(Lgamma(0), 1) || !math.IsInf(Gamma(172), 1) ||
		!math.IsNaN(Lgamma(-1)) {
		t.Error("special values are wrong")
	}
}

func TestErf(t *testing.T) {
	for _, c := range [][2]float64{
		{-5, 1.9999999999984625402},
		{-1, 1.8427007929497148693},
		{-0.25, 1.276326390168236933},
		{0.0009765625, 9.988980675699281853e-1},
		{0.375, 5.9588309056517770168e-1},
		{0.5, 4.7950012218695346232e-1},
		{1, 1.5729920705028513066e-1},
		{2.5, 4.0695201744495893956e-4},
		{8, 1.122429717298292708e-29},
		{20, 5.3958656116079009289e-176},
		{26.5, 2.2109076642637342759e-307},
	} {
		closely(t, "Erfc", Erfc(c[0]), c[1], 8, c[0])
		if c[0] < 1 {
			closely(t, "Erf", Erf(c[0]), math.Erf(c[0]), 4, c[0])
		}
	}
	if Erf(0) != 0 || Erf(math.Inf(-1)) != -1 || Erfc(math.Inf(1)) != 0 || Erfc(math.Inf(-1)) != 2 ||
		!math.IsNaN(Erfc(math.NaN())) {
		t.Error("special values are wrong")
	}
}

func TestNormalQuantile(t *testing.T) {
	for _, c := range [][2]float64{
		{1e-300, -3.7047096299361199237e+1},
		{1e-20, -9.2623400897984075796},
		{0.01, -2.3263478740408410931},
		{0.3125, -4.8877641111466949891e-1},
		{0.49951171875, -1.2239398928049801808e-3},
		{0.75, 6.744897501960817432e-1},
	} {
		closely(t, "NormalQuantile", NormalQuantile(c[0]), c[1], 12, c[0])
	}
	for _, p := range []float64{1e-9, 0.01, 0.2, 0.31, 0.5, 0.6} {
		closely(t, "NormalCDF of NormalQuantile", NormalCDF(NormalQuantile(p)), p, 100, p)
	}
	if !math.IsInf(NormalQuantile(0), -1) || !math.IsInf(NormalQuantile(1), 1) || NormalQuantile(0.5) != 0 ||
		!math.IsNaN(NormalQuantile(2)) {
		t.Error("special values are wrong")
	}
}

func TestGammaInc(t *testing.T) {
	for _, c := range [][4]float64{
		{0.01, 0.5, 9.9437324380603281585e-1, 5.626756193967184147e-3},
		{0.5, 0.125, 3.8292492254802620728e-1, 6.1707507745197379272e-1},
		{0.5, 20, 9.9999999974603714105e-1, 2.5396285894708649707e-10},
		{1, 3, 9.5021293163213605702e-1, 4.9787068367863942979e-2},
		{2, 150, 1.0, 1.0834394919478259734e-63},
		{11, 4, 2.8397661205137430511e-3, 9.9716023387948625695e-1},
		{13, 0.25, 1.8975008793460605561e-18, 9.999999999999999981e-1},
		{13, 30, 9.9983230235044866971e-1, 1.6769764955133029407e-4},
		{100, 100, 5.1329879827914866486e-1, 4.8670120172085133514e-1},
		{100, 250, 1.0, 1.1737017704487874221e-27},
		{1e5, 99000, 7.5741992117476797412e-4, 9.9924258007882523203e-1},
		{2e6, 1998000, 7.8614979509510289667e-2, 9.2138502049048971033e-1},
		{2e6, 2010000, 9.9999999999916480205e-1, 8.351979541451718925e-13},
	} {
		a, x := c[0], c[1]
		p, q := GammaInc(a, x)
		// The larger one is 1 less the other; where the shape is small or large, some digits more
		// are lost.
		closely(t, "P", p, c[2], 2000, a, x)
		closely(t, "Q", q, c[3], 2000, a, x)
		closely(t, "GammaQuantile", GammaQuantile(a, p, q), x, 2000, a, p)
	}
	if p, q := GammaInc(2, 0); p != 0 || q != 1 {
		t.Error("P(2, 0) is not 0")
	}
	// Far out, where a share is as small as numbers are.
	for _, q := range []float64{1e-250, 1e-299} {
		_, got := GammaInc(2, GammaQuantile(2, 1, q))
		closely(t, "Q of GammaQuantile", got, q, 1e5, 2, q)
	}
}

func TestBetaInc(t *testing.T) {
	for _, c := range [][5]float64{
		{0.5, 0.5, 0.125, 2.3005345616261588521e-1, 7.6994654383738411479e-1},
		{2, 3, 0.75, 9.4921875e-1, 5.078125e-2},
		{0.25, 40, 0.0009765625, 4.8563754718785091772e-1, 5.1436245281214908228e-1},
		{30, 20, 0.5, 7.6203885980739016759e-2, 9.2379611401926098324e-1},
		{1000, 800, 0.5625, 7.2298598861679091662e-1, 2.7701401138320908338e-1},
		{1, 7, 0.25, 8.6651611328125e-1, 1.3348388671875e-1},
	} {
		a, b, x := c[0], c[1], c[2]
		p, q := BetaInc(a, b, x, 1-x)
		closely(t, "I", p, c[3], 100, a, b, x)
		closely(t, "1-I", q, c[4], 100, a, b, x)
		closely(t, "BetaQuantile", BetaQuantile(a, b, c[3]), x, 1000, a, b, c[3])
	}
	if BetaQuantile(2, 3, 0) != 0 || BetaQuantile(2, 3, 1) != 1 {
		t.Error("the ends of BetaQuantile are wrong")
	}
}

func TestStudentQuantile(t *testing.T) {
	for _, c := range [][3]float64{
		{1, 0.75, 1.0},
		{1, 0.975, 1.2706204736174693314e+1},
		{1.5, 0.75, 8.7259466254157063604e-1},
		{1.5, 0.975, 6.0166631044279282546},
		{2, 0.75, 8.1649658092772603273e-1},
		{2, 0.975, 4.3026527297494617894},
		{9, 0.75, 7.0272214675132636718e-1},
		{9, 0.975, 2.2621571627982049992},
		{30, 0.75, 6.8275569332129255301e-1},
		{30, 0.975, 2.0422724563012378878},
		{1000, 0.75, 6.7473516460700943738e-1},
		{1000, 0.975, 1.9623390808264081039},
		{1e5, 0.75, 6.7449220355329220583e-1},
		{1e5, 0.975, 1.9599877075346092587},
		{1e7, 0.75, 6.7448977472957515263e-1},
		{1e7, 0.975, 1.9599642217672051104},
	} {
		closely(t, "StudentQuantile", StudentQuantile(c[0], c[1]), c[2], 60, c[0], c[1])
		if StudentQuantile(c[0], 1-c[1]) != -StudentQuantile(c[0], 1-(1-c[1])) {
			t.Errorf("StudentQuantile(%v) is not symmetric", c[0])
		}
	}
	closely(t, "StudentQuantile", StudentQuantile(1e9, 0.975), NormalQuantile(0.975), 1e8)
}

// The coefficients are those of their comment, by the sum over the zeros of a Chebyshev polynomial,
// to the accuracy of the functions that it is computed with.
func TestErfcTerms(t *testing.T) {
	const points = 64
	for n, want := range erfcTerms {
		sum := 0.0
		for k := range points {
			angle := math.Pi * (float64(k) + 0.5) / points
			x := 6/(1-math.Cos(angle)) - 2.5
			h := (x + 2.5) / (x * math.Sqrt(math.Pi)) // of large x
			if x < 25 {
				h = (x + 2.5) * math.Exp(x*x) * math.Erfc(x)
			} else {
				z := 1 / (2 * x * x)
				h *= 1 - z*(1-z*(3-z*(15-z*105)))
			}
			sum += h * math.Cos(float64(n)*angle) * 2 / points
		}
		if n == 0 {
			sum /= 2
		}
		if !(math.Abs(sum-want) < 2e-13) {
			t.Errorf("%d: %v, want %v", n, want, sum)
		}
	}
}
