package experiment_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/experiment"
)

// bakery is a model: what a day costs, by ovens and bakers. Replicas of the same number have the
// same day.
func bakery(_ context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
	demand := 100 + 20*r.Rand().NormFloat64()
	made := min(30*p["ovens"], 25*p["bakers"])
	return ensemble.Outputs{"cost": 40*p["ovens"] + 50*p["bakers"] + 5*max(0, demand-made)}, nil
}

// alone makes a source of a function, for a model that is quick.
func alone(f ensemble.Func, output string) experiment.Source {
	return func(ctx context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
		all := make([][]float64, len(points))
		for i, p := range points {
			for r := range n {
				out, err := f(ctx, p, ensemble.NewReplica(1, first+r))
				if err != nil {
					return nil, err
				}
				all[i] = append(all[i], out[output])
			}
		}
		return all, nil
	}
}

func ExampleLab() {
	ctx := context.Background()
	var registry ensemble.Registry
	experiment.RegisterIn(&registry, "bakery", bakery, ensemble.Parameter{Name: "ovens", Value: 3}, ensemble.Parameter{
		Name: "bakers", Value: 3})
	lab, err := experiment.NewLab(experiment.LabOptions{Model: "bakery", Registry: &registry, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := lab.Source("cost")(ctx, []ensemble.Params{{"ovens": 2}, {"ovens": 4}}, 0, 3)
	fmt.Printf("%.0f %v, %d replicas\n", values, err, lab.Replicas())
	// Output:
	// [[326 512 510] [331 517 515]] <nil>, 6 replicas
}

func ExampleLabOptions() {
	_, err := experiment.NewLab(experiment.LabOptions{Model: "brewery"})
	fmt.Println(err)
	// Output:
	// experiment: there is no model "brewery"; register it with experiment.Register
}

func ExampleSource() {
	dice := experiment.Source(func(_ context.Context, points []ensemble.Params, first, n int) ([][]float64, error) {
		all := make([][]float64, len(points))
		for i, p := range points {
			for r := range n {
				all[i] = append(all[i], float64(1+rand.New(rand.NewPCG(1, uint64(first+r))).IntN(int(p["sides"]))))
			}
		}
		return all, nil
	})
	fmt.Println(dice(context.Background(), []ensemble.Params{{"sides": 6}, {"sides": 20}}, 0, 4))
	// Output:
	// [[4 6 5 4] [12 20 16 12]] <nil>
}

func ExampleDesign() {
	design, _ := experiment.Full(experiment.Factor{Name: "ovens", Levels: []float64{2, 4}},
		experiment.Factor{Name: "bakers", Levels: []float64{2, 4}})
	values, _ := design.Run(context.Background(), alone(bakery, "cost"), 50)
	effects, _ := design.Effects(values, 0.95)
	for _, e := range effects {
		fmt.Println(e)
	}
	// Output:
	// ovens: 0.5997 ± 7.9
	// bakers: -29.4 ± 7.9
	// ovens*bakers: -79.4 ± 7.9
}

func ExampleFactor() {
	var factors []experiment.Factor
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		factors = append(factors, experiment.Factor{Name: name, Levels: []float64{0, 1}})
	}
	design, _ := experiment.Fraction(8, factors...)
	fmt.Println(len(design.Runs), "runs, resolution", design.Resolution(), design.Relation())
	fmt.Println(design.Aliases("a"))
	// Output:
	// 8 runs, resolution 3 [a*b*d a*c*e b*c*d*e]
	// [b*d c*e] <nil>
}

func ExampleRange() {
	points, _ := experiment.Spread("sobol", 4, 1, experiment.Range{Name: "price", Low: 1, High: 2},
		experiment.Range{Name: "ovens", Low: 1, High: 4, Whole: true})
	for _, p := range points {
		fmt.Printf("%.2f %g\n", p["price"], p["ovens"])
	}
	// Output:
	// 1.93 3
	// 1.43 1
	// 1.18 4
	// 1.68 2
}

func ExampleEffect() {
	e := experiment.Effect{Name: "a", Aliases: []string{"b*c"}, Size: experiment.Interval{Mean: 3, HalfWidth: 0.5}}
	fmt.Println(e, e.Size.Differs())
	// Output:
	// a: 3 ± 0.5 (with b*c) true
}

func ExampleInterval() {
	i := experiment.Interval{Mean: 1, HalfWidth: 2}
	fmt.Println(i.Low(), i.High(), i.Differs())
	// Output:
	// -1 3 false
}

func ExampleLevelMean() {
	design, _ := experiment.Full(experiment.Factor{Name: "ovens", Levels: []float64{2, 3, 4}},
		experiment.Factor{Name: "bakers", Levels: []float64{3, 4}})
	values, _ := design.Run(context.Background(), alone(bakery, "cost"), 50)
	means, _ := design.Means(values, 0.95)
	for _, m := range means {
		fmt.Println(m.Factor, m.Level, m.Mean, m.Distance)
	}
	// Output:
	// ovens 2 459 ± 30 31.95 ± 5.2
	// ovens 3 398.6 ± 25 -28.52 ± 1.6
	// ovens 4 423.7 ± 22 -3.426 ± 4
	// bakers 3 426.1 ± 29 -1.018 ± 3.6
	// bakers 4 428.1 ± 23 1.018 ± 3.6
}

// The best of four bakeries, with a probability of at least 95 % if it is better than the others by
// 10. The replicas are run by an [experiment.Lab].
func ExampleSelect() {
	var registry ensemble.Registry
	experiment.RegisterIn(&registry, "bakery", bakery, ensemble.Parameter{Name: "ovens", Value: 3}, ensemble.Parameter{
		Name: "bakers", Value: 4})
	lab, err := experiment.NewLab(experiment.LabOptions{Model: "bakery", Registry: &registry, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	systems := []ensemble.Params{{"ovens": 2}, {"ovens": 3}, {"ovens": 4}, {"ovens": 5}}
	found, err := experiment.Select(context.Background(), lab.Source("cost"), systems, experiment.SelectOptions{Delta: 10})
	fmt.Println(systems[found.Best], found.Replicas, "replicas", err)
	// Output:
	// map[ovens:3] 80 replicas <nil>
}

func ExampleSelection() {
	var systems []ensemble.Params
	for ovens := 2.0; ovens <= 5; ovens++ {
		systems = append(systems, ensemble.Params{"ovens": ovens, "bakers": 4})
	}
	found, err := experiment.Select(context.Background(), alone(bakery, "cost"), systems, experiment.SelectOptions{
		Delta: 10, Alpha: 0.05})
	fmt.Println(systems[found.Best], found.Replicas, "replicas", err)
	for i, rival := range found.Systems {
		fmt.Printf("%v ovens: %.0f from %d replicas, worse than %d\n", systems[i]["ovens"], rival.Mean, rival.Replicas,
			rival.By)
	}
	// Output:
	// map[bakers:4 ovens:3] 80 replicas <nil>
	// 2 ovens: 503 from 20 replicas, worse than 1
	// 3 ovens: 416 from 20 replicas, worse than -1
	// 4 ovens: 428 from 20 replicas, worse than 1
	// 5 ovens: 468 from 20 replicas, worse than 1
}

// How many ovens and bakers cost least, of 400 bakeries, with at most 5000 replicas. They are run
// by an [experiment.Lab].
func ExampleMinimize() {
	var registry ensemble.Registry
	experiment.RegisterIn(&registry, "bakery", bakery)
	lab, err := experiment.NewLab(experiment.LabOptions{Model: "bakery", Registry: &registry, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	box := []experiment.Integer{{Name: "ovens", Low: 1, High: 20, Start: 10}, {Name: "bakers", Low: 1, High: 20, Start: 10}}
	found, err := experiment.Minimize(context.Background(), lab.Source("cost"), box, experiment.MinimizeOptions{
		Replicas: 5000})
	fmt.Println(found.Point, found.Value, err)
	// Output:
	// map[bakers:4 ovens:3] 386.4 ± 5.3 <nil>
}

func ExampleOptimum() {
	box := []experiment.Integer{{Name: "ovens", Low: 1, High: 20, Start: 18}, {Name: "bakers", Low: 1, High: 20, Start: 2}}
	found, err := experiment.Minimize(context.Background(), alone(bakery, "cost"), box, experiment.MinimizeOptions{
		Replicas: 5000})
	fmt.Println(found.Point, found.Value, found.Local, found.Points, "points", err)
	// Output:
	// map[bakers:4 ovens:3] 385.2 ± 6.5 true 37 points <nil>
}

func ExampleSelectOptions() {
	systems := []ensemble.Params{{"ovens": 3, "bakers": 3}, {"ovens": 3, "bakers": 4}}
	// A difference of a cent would matter, but there are only 100 days.
	o := experiment.SelectOptions{Delta: 0.01, Most: 100}
	_, err := experiment.Select(context.Background(), alone(bakery, "cost"), systems, o)
	fmt.Println(err)
	// Output:
	// experiment: there is no best yet, and no more replicas are allowed
}

func ExampleRival() {
	systems := []ensemble.Params{{"ovens": 3, "bakers": 4}, {"ovens": 9, "bakers": 4}}
	found, _ := experiment.Select(context.Background(), alone(bakery, "cost"), systems, experiment.SelectOptions{
		Delta: 10})
	worse := found.Systems[1]
	fmt.Printf("%.0f instead of %.0f, after %d replicas\n", worse.Mean, found.Systems[worse.By].Mean, worse.Replicas)
	// Output:
	// 628 instead of 416, after 20 replicas
}

func ExampleInteger() {
	box := []experiment.Integer{{Name: "ovens", Low: 1, High: 20, Start: 30}}
	_, err := experiment.Minimize(context.Background(), alone(bakery, "cost"), box, experiment.MinimizeOptions{
		Replicas: 500})
	fmt.Println(err)
	// Output:
	// experiment: "ovens" from 1 to 20, beginning at 30; it needs a name of its own, and to begin between the two
}

func ExampleMinimizeOptions() {
	earnings := func(ctx context.Context, p ensemble.Params, r ensemble.Replica) (ensemble.Outputs, error) {
		out, err := bakery(ctx, p, r)
		return ensemble.Outputs{"earnings": 700 - out["cost"]}, err
	}
	box := []experiment.Integer{{Name: "ovens", Low: 1, High: 20, Start: 10}, {Name: "bakers", Low: 1, High: 20, Start: 10}}
	o := experiment.MinimizeOptions{Largest: true, Replicas: 5000, First: 20, Seed: 7}
	found, _ := experiment.Minimize(context.Background(), alone(earnings, "earnings"), box, o)
	fmt.Println(found.Point, found.Value)
	// Output:
	// map[bakers:4 ovens:3] 314.1 ± 6.3
}
