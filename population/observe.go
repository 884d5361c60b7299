package population

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// Observations are the names of what the model observes, in the order of the file.
func (m *Model) Observations() []string { return m.program.ObservationNames() }

// IsSurvey reports whether an observation is of people at times, and not of an event.
func (m *Model) IsSurvey(observation int) bool { return m.program.Observations[observation].Survey }

// Seen is how many an observation has seen by a row, since the start, in the order of
// [Model.Observations]: events, or positive tests of a survey.
func (run *Run) Seen(row, observation int) uint64 {
	return run.rec.All.Seen[2*(row*len(run.m.Observations)+observation)]
}

// Tested is how many a survey has tested by a row, since the start.
func (run *Run) Tested(row, observation int) uint64 {
	return run.rec.All.Seen[2*(row*len(run.m.Observations)+observation)+1]
}

// Expected is the expected number of positives of a survey by a row, since the start: the number of
// individuals asked times the mean chance over all whom it could have asked.
func (run *Run) Expected(row, observation int) float64 {
	return run.rec.All.Expected[row*len(run.m.Observations)+observation]
}

// SeenIncidence is how many an observation has seen in the interval that ends with a row.
func (run *Run) SeenIncidence(row, observation int) uint64 {
	if row == 0 {
		return run.Seen(row, observation)
	}
	return run.Seen(row, observation) - run.Seen(row-1, observation)
}

// Seen is how many an observation has seen since the start, in the order of [Model.Observations].
func (r *Result) Seen(observation int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Seen(row, observation)) })
}

// Tested is how many a survey has tested since the start.
func (r *Result) Tested(observation int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Tested(row, observation)) })
}

// Expected is the expected number of positives of a survey since the start; see [Run.Expected].
func (r *Result) Expected(observation int) Series {
	return r.series(func(run *Run, row int) float64 { return run.Expected(row, observation) })
}

// SeenIncidence is how many an observation has seen in the interval that ends with each row.
func (r *Result) SeenIncidence(observation int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.SeenIncidence(row, observation)) })
}

// meanChance is the mean of the chance of a survey over all whom it could ask at a row, of the
// model of a fit.
func (run *Run) meanChance(row, observation int) float64 {
	all := run.m.MeanChances
	return run.rec.Chances[row*len(all)+slices.Index(all, observation)]
}

// Seen is how many an observation has seen since the start, in the order of [Model.Observations].
func (p *Process) Seen(observation int) uint64 {
	seen, _ := p.r.SeenIn(0, observation)
	return seen
}

// Tested is how many a survey has tested since the start.
func (p *Process) Tested(observation int) uint64 {
	_, tested := p.r.SeenIn(0, observation)
	return tested
}

// observed writes the series of observations, of all individuals or of a group.
func (r *Result) observed(j *jsonText) {
	names := r.Model.Observations()
	if len(names) == 0 {
		return
	}
	j.field("observed", func() {
		j.object(func() {
			for i, name := range names {
				j.field(name, func() {
					j.object(func() {
						j.put("seen", r.Seen(i))
						if r.Model.RecordsIncidence() {
							j.put("incidence", r.SeenIncidence(i))
						}
						if r.Model.IsSurvey(i) {
							j.put("tested", r.Tested(i))
							j.put("expected", r.Expected(i))
						}
					})
				})
			}
		})
	})
}

// An Infection is a row of the tree that a model records: that an individual was infected, and by
// whom.
type Infection struct {
	Replica    int
	Infected   uint64  // its number in the order of entering, as [Event.Individual]
	Time       float64 // on the model's clock
	By         uint64  // the infector; 0 if there is none
	ByTime     float64 // when the infector was last infected; NaN if it never was
	Generation int     // one more than the infector's; 0 if there is none
	Root       uint64  // the individual that the tree begins with
	Among      string  // the kind of places, network or attribute of a contact among neighbours; otherwise empty
}

// A Person is what a model records of an individual: a row of a line list.
type Person struct {
	Replica int
	Number  uint64   // in the order of entering, as [Event.Individual]
	ID      string   // its name: the number, unless it has another
	Entered float64  // on the model's clock
	Left    float64  // NaN if it is there at the end
	How     string   // it entered: start, births, immigration or interventions
	Mother  uint64   // the parent, if it was born; 0 if there is none
	State   string   // the last one
	Values  []string // of its attributes and machines, the last ones, in the order of [Model.Attributes]
	Numbers []float64
	Places  []int     // the number of its last place of each kind, in the order of [Model.Places]; 0 for none
	Times   []float64 // when each of [Model.PersonTimes] first happened; NaN if it did not
}

// RecordsTree reports whether the model records who infected whom.
func (m *Model) RecordsTree() bool { return m.program.Tree != nil }

// RecordsPeople reports whether the model records a line list.
func (m *Model) RecordsPeople() bool { return m.program.LineList != nil }

// PersonTimes are the names of what is recorded of each individual when it first happened.
func (m *Model) PersonTimes() (names []string) {
	if m.program.LineList == nil {
		return nil
	}
	for _, t := range m.program.LineList.Times[:m.program.LineList.Listed] {
		names = append(names, t.Name)
	}
	return names
}

// entryNames are the ways to enter, as flows name them, after the start.
var entryNames = []string{"start", "births", "immigration", "interventions"}

// streams returns the functions that a run calls with infections and people.
func (o *Options) streams(m *Model, replica int) (s engine.Streams) {
	p := m.program
	if o.OnInfection == nil && o.OnPerson == nil {
		return s
	}
	rows := m.rowTimes()
	if o.OnInfection != nil && p.Tree != nil {
		s.OnInfection = func(e *engine.Infection) {
			o.OnInfection(Infection{Replica: replica, Infected: e.Infected, Time: rows.of(e.Time), By: e.By,
				ByTime: rows.of(e.ByTime), Generation: e.Generation, Root: e.Root, Among: p.NearName(e.Among)})
		}
	}
	if o.OnPerson != nil && p.LineList != nil {
		s.OnPerson = func(e *engine.Person) {
			one := Person{Replica: replica, Number: e.Number, ID: m.ID(e.Number),
				Entered: rows.of(e.Entered), Left: rows.of(e.Left), How: entryNames[1+e.How], Mother: e.Mother, State: p.States[e.State],
				Numbers: slices.Clone(e.Numbers), Times: slices.Clone(e.Times[:p.LineList.Listed])}
			if one.ID == "" {
				one.ID = strconv.FormatUint(e.Number, 10)
			}
			for k, t := range one.Times {
				one.Times[k] = rows.of(t)
			}
			for _, number := range e.Places {
				one.Places = append(one.Places, int(number))
			}
			for a, v := range e.Values {
				one.Values = append(one.Values, p.Attributes[a].Values[v])
			}
			o.OnPerson(one)
		}
	}
	return s
}

// A Tree summarises who infected whom, pooled over all replicas.
type Tree struct {
	// Offspring are the shares of those in a tree, infected or infecting, who infected so many.
	Offspring map[int]float64
	// GenerationTime is the time from an infector's last infection to that of those whom it infected.
	GenerationTime Durations
	// Chains are how many trees have so many individuals.
	Chains map[int]uint64
	// Reproduction is, for each row, how many were infected by those who were infected in the interval
	// that ends with it, on average, and how many these are. The mean of nobody is NaN.
	Reproduction []Reproduction
	// Largest is the largest tree.
	Largest LargestTree
	times   []float64
}

// A LargestTree is the tree with the most individuals; of several, the first.
type LargestTree struct {
	Replica int
	Root    uint64  // the individual that it begins with
	Began   float64 // when it infected somebody for the first time, or was infected, on the model's clock
	Size    int     // 0 if there is no tree
}

// Reproduction is how many were infected by N individuals, on average.
type Reproduction struct {
	Mean float64
	N    uint64
}

// Durations are the distribution of some durations. Quantiles have an error of at most 0.2 %.
// Statistics that need more durations are NaN.
type Durations struct {
	Mean, SD                   float64
	Q05, Q25, Median, Q75, Q95 float64
	N                          uint64
	all                        engine.Durations
}

// Shares are the shares of durations from 0 to a width, from there to twice the width, and so on.
// Each duration is off by at most 0.2 %.
func (d *Durations) Shares(width float64, n int) []float64 {
	shares := make([]float64, n)
	d.all.Each(func(x float64, count uint64) {
		if k := int(x / width); k < n {
			shares[k] += float64(count) / float64(d.N)
		}
	})
	return shares
}

// Tree returns who infected whom in all replicas; nil if the model does not record it.
func (r *Result) Tree() *Tree {
	if r.Model.program.Tree == nil {
		return nil
	}
	t := &Tree{Offspring: map[int]float64{}, Chains: map[int]uint64{}, times: r.Times[:r.Rows()]}
	cohorts := make([]engine.Cohort, r.Rows())
	offspring, in := map[int]uint64{}, uint64(0)
	var generation engine.Durations
	for i := range r.Runs {
		sums := r.Runs[i].tree
		if sums == nil {
			continue
		}
		for k, n := range sums.Offspring {
			offspring[k] += n
			in += n
		}
		for k, n := range sums.Chains {
			t.Chains[k] += n
		}
		for k := range cohorts {
			cohorts[k].Infected += sums.Cohorts[k].Infected
			cohorts[k].Offspring += sums.Cohorts[k].Offspring
		}
		generation.Join(&sums.Generation)
		if l := &sums.Largest; l.Size > t.Largest.Size {
			t.Largest = LargestTree{r.Runs[i].Replica, l.Root, l.Began, l.Size}
		}
	}
	for k, n := range offspring {
		t.Offspring[k] = float64(n) / float64(in)
	}
	for _, c := range cohorts {
		t.Reproduction = append(t.Reproduction, Reproduction{float64(c.Offspring) / float64(c.Infected), c.Infected})
	}
	t.GenerationTime = Durations{Mean: generation.Mean, SD: generation.SD(), Q05: generation.Quantile(0.05),
		Q25: generation.Quantile(0.25), Median: generation.Quantile(0.5), Q75: generation.Quantile(0.75),
		Q95: generation.Quantile(0.95), N: generation.N, all: generation}
	if generation.N == 0 {
		t.GenerationTime.Mean = math.NaN()
	}
	return t
}

// MarshalJSON writes the tree as almanac run --json does, with null for what is not known.
func (t *Tree) MarshalJSON() ([]byte, error) {
	number := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		return &x
	}
	g := &t.GenerationTime
	type reproduction struct {
		Times []float64  `json:"times"`
		Mean  Deviations `json:"mean"`
		N     []uint64   `json:"n"`
	}
	r := reproduction{Times: t.times, Mean: Deviations{}, N: []uint64{}}
	for _, c := range t.Reproduction {
		r.Mean, r.N = append(r.Mean, c.Mean), append(r.N, c.N)
	}
	var b []byte
	field := func(key string, value any) error {
		text, err := json.Marshal(value)
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(strconv.AppendQuote(b, key), ':'), text...)
		return err
	}
	counts := func(keys []int, value func(int) any) json.RawMessage {
		text := []byte{'{'}
		for i, k := range keys {
			if i > 0 {
				text = append(text, ',')
			}
			one, _ := json.Marshal(value(k)) // a number
			text = append(append(strconv.AppendQuote(text, strconv.Itoa(k)), ':'), one...)
		}
		return append(text, '}')
	}
	b = append(b, '{')
	err := field("offspring", counts(slices.Sorted(maps.Keys(t.Offspring)),
		func(k int) any { return t.Offspring[k] }))
	if err == nil {
		err = field("generation time", struct {
			Mean   *float64 `json:"mean"`
			SD     *float64 `json:"sd"`
			Q05    *float64 `json:"q05"`
			Q25    *float64 `json:"q25"`
			Median *float64 `json:"median"`
			Q75    *float64 `json:"q75"`
			Q95    *float64 `json:"q95"`
			N      uint64   `json:"n"`
		}{number(g.Mean), number(g.SD), number(g.Q05), number(g.Q25), number(g.Median), number(g.Q75), number(g.Q95), g.N})
	}
	if err == nil {
		err = field("chains", counts(slices.Sorted(maps.Keys(t.Chains)),
			func(k int) any { return t.Chains[k] }))
	}
	if err == nil {
		err = field("reproduction", r)
	}
	return append(b, '}'), err
}

// maxTreeBytes is more than the sums of a tree take as bytes, without its cohorts.
const maxTreeBytes = 1 << 26

// appendTree writes the sums of a tree as bytes.
func appendTree(t *engine.TreeSums, whole func(uint64), float func(float64)) {
	if t == nil { // of a run that did not begin
		none := engine.NewTreeSums(0)
		t = &none
	}
	counts := func(all map[int]uint64) {
		whole(uint64(len(all)))
		for _, k := range slices.Sorted(maps.Keys(all)) {
			whole(uint64(int64(k) + math.MaxInt32))
			whole(all[k])
		}
	}
	counts(t.Offspring)
	counts(t.Chains)
	whole(uint64(len(t.Cohorts)))
	for _, c := range t.Cohorts {
		whole(c.Infected)
		whole(c.Offspring)
	}
	g := &t.Generation
	whole(g.N)
	whole(g.Zero)
	for _, x := range []float64{g.Mean, g.Squares, g.Least, g.Most} {
		float(x)
	}
	counts(g.Buckets)
	whole(t.Largest.Root)
	float(t.Largest.Began)
	whole(uint64(t.Largest.Size))
}

// readTree reads what appendTree wrote.
func readTree(in *runBytes, rows int) *engine.TreeSums {
	const most = math.MaxUint64
	counts := func() map[int]uint64 {
		all := map[int]uint64{}
		for range in.whole(uint64(len(in.b))) {
			k := int(int64(in.whole(1<<32)) - math.MaxInt32)
			all[k] = in.whole(most)
		}
		return all
	}
	t := engine.NewTreeSums(rows)
	t.Offspring, t.Chains = counts(), counts()
	for k := range in.whole(uint64(rows)) {
		t.Cohorts[k] = engine.Cohort{Infected: in.whole(most), Offspring: in.whole(most)}
	}
	g := &t.Generation
	g.N, g.Zero = in.whole(most), in.whole(most)
	for _, x := range []*float64{&g.Mean, &g.Squares, &g.Least, &g.Most} {
		*x = in.float()
	}
	g.Buckets = counts()
	t.Largest = engine.LargestTree{Root: in.whole(most), Began: in.float(), Size: int(in.whole(math.MaxInt32))}
	return &t
}
