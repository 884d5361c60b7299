package fit

import (
	"bytes"
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// replay runs a drifting model along a path, and returns the level at the last row.
func replay(t *testing.T, x []float64, p *Path, rows int) float64 {
	t.Helper()
	q, err := drifting{}.Start(t.Context(), x, p.Seed)
	if err != nil {
		t.Fatal(err)
	}
	forks := p.Forks
	for row := range rows {
		if _, _, err := q.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if row < rows-1 && len(forks) > 0 && forks[0].Row == row {
			if q, err = q.Fork(forks[0].Seed); err != nil {
				t.Fatal(err)
			}
			forks = forks[1:]
		}
	}
	if len(forks) > 0 {
		t.Fatalf("the path has a fork at row %d of %d", forks[0].Row, rows)
	}
	level := q.(*driftingParticle).level
	if math.Float64bits(level) != p.Check {
		t.Fatalf("the path leads to %v, and its run was at %v", level, math.Float64frombits(p.Check))
	}
	return level
}

// The run that an estimate chooses is a draw from the runs given the data, if it counts in
// proportion to the estimate: its level has the mean and the variance of the Kalman filter, with
// any number of particles. One that ignored the data would have mean 0 and a variance of 2.7.
func TestPathIsGivenTheData(t *testing.T) {
	const a, estimates = 0.8, 4000
	gaps := append(slices.Clone(driftingData), math.NaN(), math.NaN()) // the last rows say nothing
	for name, c := range map[string]struct {
		sim  Simulator
		data []float64
		rows int
	}{
		"particles":  {drifting{len(driftingData)}, driftingData, len(driftingData)},
		"gaps":       {drifting{len(gaps)}, gaps, len(driftingData)},
		"whole runs": {wholeRuns{drifting{3}}, driftingData[:3], 3},
	} {
		t.Run(name, func(t *testing.T) {
			o := model{oneColumn(c.data, Unknown{Name: "a", Prior: Uniform(0, 1)}), c.sim}
			_, mean, variance := kalmanFilter(a, c.data[:c.rows])
			var weights, levels []float64
			total, forked := 0.0, 0
			for k := range estimates {
				e, err := o.likelihood(t.Context(), []float64{a}, 8, uint64(k))
				if err != nil {
					t.Fatal(err)
				}
				forked += len(e.path.Forks)
				weights, levels = append(weights, math.Exp(e.log)), append(levels, replay(t, []float64{a}, e.path, c.rows))
				total += weights[k]
			}
			if c.rows > 3 && forked < estimates {
				t.Errorf("%d forks on %d paths", forked, estimates)
			}
			for power, want := range []float64{mean, variance} {
				sum, squares := 0.0, 0.0
				of := func(level float64) float64 {
					if power == 0 {
						return level
					}
					return (level - mean) * (level - mean)
				}
				for k, w := range weights {
					sum += w / total * of(levels[k])
				}
				for k, w := range weights {
					squares += math.Pow(w/total*(of(levels[k])-sum), 2)
				}
				if se := math.Sqrt(squares); math.Abs(sum-want) > 4*se || se > 0.15 {
					t.Errorf("moment %d of the level is %.3f ± %.3f, want %.3f", power+1, sum, se, want)
				}
			}
			// The whole law: the Kolmogorov distance to the normal law of the filter, and to that of a level
			// that ignores the data.
			if d := normalDistance(levels, weights, mean, variance); d > 1.95 { // one in a thousand is further
				t.Errorf("the distance to the law of the filter is %.2f", d)
			}
			if d := normalDistance(levels, weights, 0, 2.7); d < 2.5 {
				t.Errorf("the distance to another law is %.2f", d)
			}
		})
	}
}

// normalDistance is the Kolmogorov distance of a weighted sample to a normal law, times the root of
// the effective size.
func normalDistance(levels, weights []float64, mean, variance float64) float64 {
	order, total, squares := make([]int, len(levels)), 0.0, 0.0
	for k, w := range weights {
		order[k], total, squares = k, total+w, squares+w*w
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(levels[a], levels[b]) })
	upTo, distance := 0.0, 0.0
	for _, k := range order {
		p := math.Erfc((mean-levels[k])/math.Sqrt(2*variance)) / 2
		distance = max(distance, p-upTo)
		upTo += weights[k] / total
		distance = max(distance, upTo-p)
	}
	return distance * total / math.Sqrt(squares)
}

// Every row of a posterior has the path of the run by which it was accepted, whatever the method
// and the number of workers.
func TestPosteriorsHavePaths(t *testing.T) {
	short := driftingData[:6]
	for name, o := range map[string]struct {
		Options
		particles bool
	}{
		"abc, single runs": {Options{Method: "abc", Budget: 4000}, false},
		"abc, particles":   {Options{Method: "abc", Budget: 20000}, true},
		"pmmh":             {Options{Method: "pmmh", Budget: 20000}, true},
	} {
		t.Run(name, func(t *testing.T) {
			data := short
			if o.particles && o.Method == "abc" { // six rows are for single runs
				data = driftingData
			}
			p := oneColumn(data, Unknown{Name: "a", Prior: Uniform(0, 1)})
			r, err := fitDirectly(p, drifting{len(data)}, o.Options)
			if err != nil {
				t.Fatal(err)
			}
			post := &r.Posterior
			if len(post.Paths) != len(post.Rows) {
				t.Fatalf("%d paths of %d rows", len(post.Paths), len(post.Rows))
			}
			forks := 0
			for i, path := range post.Paths {
				replay(t, post.Rows[i], path, len(data))
				forks += len(path.Forks)
			}
			if (forks > 0) != o.particles {
				t.Errorf("%d forks on %d paths", forks, len(post.Paths))
			}
			var table bytes.Buffer
			if err := post.WriteCSV(&table); err != nil {
				t.Fatal(err)
			}
			again, err := ReadCSV(&table, "")
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(again.Paths, post.Paths) {
				t.Error("paths do not survive a table")
			}
		})
	}
}

// Cells of paths that cannot be read are errors with their line; a table with only some of the
// columns has no paths.
func TestPathCells(t *testing.T) {
	const head = "a,weight,run.seed,run.forks,run.check\n"
	for cells, want := range map[string]string{
		"1,1,-2,,0":          `f.csv:2: run.seed is "-2"`,
		"1,1,1e18,,0":        "run.seed",
		"1,1,2,,x":           "run.check",
		"1,1,2,3,0":          "run.forks",
		"1,1,2,0:5,0":        "run.forks",
		"1,1,2,3:5 3:6,0":    "run.forks",
		"1,1,2,4:5 3:6,0":    "run.forks",
		"1,1,2,3:5 x:6,0":    "run.forks",
		"1,1,2,3:5:6,0":      "run.forks",
		"1,1,2,3:5 4:6,7,88": "6 fields",
	} {
		_, err := ReadCSV(strings.NewReader(head+cells+"\n"), "f.csv")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", cells, err, want)
		}
	}
	p, err := ReadCSV(strings.NewReader(head+"1,1,18446744073709551615,3:5 4:6,7\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Path{math.MaxUint64, []Fork{{2, 5}, {3, 6}}, 7}); !reflect.DeepEqual(*p.Paths[0], want) {
		t.Errorf("%+v", *p.Paths[0])
	}
	p, err = ReadCSV(strings.NewReader("a,weight,run.seed\n1,1,2\n"), "")
	if err != nil || p.Paths != nil || len(p.Names) != 1 {
		t.Error(p, err)
	}
}
