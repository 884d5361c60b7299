package population

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// What flows in the intervals adds up to what flowed since the start, and medians are what sorting
// gives, for odd and even numbers of replicas.
func TestIncidenceAndMedian(t *testing.T) {
	m := modelFrom(t, `
name: sir
time: {unit: day, end: 20}
population: {size: 300, start: {infectious: 10, susceptible: rest}}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: 0.6 per day, to: {susceptible: infectious}}]
record: {every: 2 days}
`)
	for _, replicas := range []int{1, 2, 5, 8} {
		r, err := m.Run(context.Background(), Options{Seed: 3, Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		for k := range m.program.Flows {
			inc, sum := r.Incidence(k), 0.0
			for row := range inc.Mean {
				sum += inc.Mean[row]
				if flow := r.Flow(k).Mean[row]; math.Abs(sum-flow) > 1e-9 {
					t.Errorf("%v: %g by row %d, counted as %g", m.program.Flows[k], sum, row, flow)
				}
				var all []float64
				for i := range r.Runs {
					before := uint64(0)
					if row > 0 {
						before = r.Runs[i].Flow(row-1, k)
					}
					all = append(all, float64(r.Runs[i].Flow(row, k)-before))
				}
				slices.Sort(all)
				want := all[replicas/2]
				if replicas%2 == 0 {
					want = (want + all[replicas/2-1]) / 2
				}
				if inc.Median[row] != want {
					t.Errorf("%d replicas: the median of %v is %g", replicas, all, inc.Median[row])
				}
				if q := r.IncidenceQuantiles(k, 0, 1); q[0][row] != all[0] || q[1][row] != all[replicas-1] {
					t.Errorf("%v from %g to %g", all, q[0][row], q[1][row])
				}
			}
		}
		var out struct {
			States, Flows map[string]map[string][]float64
			Total         map[string][]float64
		}
		text, err := json.Marshal(r)
		if err != nil || json.Unmarshal(text, &out) != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.States["infectious"]["median"], r.State(1).Median) || len(out.Total["median"]) !=
			len(m.program.RecordTimes) || len(out.Flows["infectious->recovered"]["median"]) != len(m.program.RecordTimes) {
			t.Error("the JSON has no medians")
		}
	}
}
