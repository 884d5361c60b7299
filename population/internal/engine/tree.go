package engine

import (
	"maps"
	"math"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/sketch"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// An Infection is a row of a tree: that an individual was infected, by whom, and where in which
// tree. It is valid only during the call.
type Infection struct {
	Infected   uint64  // its number in the order of entering, from 1
	Time       float64 // on the model's clock
	By         uint64  // the number of the infector; 0 if there is none
	ByTime     float64 // when the infector was last infected; NaN if it never was
	Generation int     // one more than the infector's; 0 if there is none
	Root       uint64  // the number of the individual that the tree begins with
	Among      int     // the number in Program.Near of where they met; −1 for none
}

// A tree has who infected whom: for each individual its last infection, and sums over all of them.
// Infections themselves are streamed to OnInfection and not kept.
//
// A tree begins with an individual that was infected by none, or with an infector that was never
// infected. It is kept while an individual is alive whose last infection is in it, so that memory
// is bounded by the number of individuals, however many infections there are. An infection takes
// constant time.
type tree struct {
	infected []infection // by id
	trees    []treeRoot
	free     []uint32 // trees without members, to be used again
	freed    float64  // when the last of these lost its last member

	offspring []uint64       // how many of those in a tree have infected so many
	chains    map[int]uint64 // by size: trees that are over, and whose place in trees has been used again
	sums      TreeSums       // without Offspring and Chains
}

// An infection is the last one of an individual.
type infection struct {
	time       float64 // since the start; NaN if it never was infected
	generation uint32
	tree       uint32 // index into trees; noTree if it is in none
	row        uint32 // of the time
	children   uint32 // how many it has infected, since it entered
}

const (
	infectionBytes = 24
	noTree         = math.MaxUint32
)

// A treeRoot is where and when a tree begins, and how many are in it.
type treeRoot struct {
	root    uint64
	began   float64 // on the model's clock
	size    uint32  // infections, and the root if it was never infected
	members uint32  // individuals that are there, and were last infected in it
}

// TreeSums are what is summed up of the trees of a run.
type TreeSums struct {
	Offspring  map[int]uint64 // how many of those in a tree have infected so many
	Chains     map[int]uint64 // how many trees have so many individuals
	Cohorts    []Cohort       // by row: those infected in the interval that ends with it
	Generation Durations      // from the infection of an infector to those by it
	Largest    LargestTree
}

// A LargestTree is the largest tree of a run; of several, the first.
type LargestTree struct {
	Root  uint64
	Began float64 // on the model's clock
	Size  int
}

// A Cohort is those who were infected in an interval, and how many they have infected.
type Cohort struct{ Infected, Offspring uint64 }

// Durations are the moments of some durations, and how many are in each bucket of a sketch.
type Durations struct {
	N           uint64
	Mean        float64
	Squares     float64 // the sum of squared differences from the mean
	Least, Most float64
	Zero        uint64 // how many are 0
	Buckets     map[int]uint64
}

// durationAccuracy is the relative accuracy of quantiles of Durations.
const durationAccuracy = 0.002

var durationBuckets = func() interface {
	Index(float64) int
	Value(int) float64
} {
	m, err := sketch.Mapping(durationAccuracy)
	if err != nil {
		panic("engine: " + err.Error()) // the accuracy is valid
	}
	return m
}()

// Add adds a duration.
func (d *Durations) Add(x float64) {
	if d.N == 0 {
		d.Least, d.Most = x, x
	}
	d.N++
	d.Least, d.Most = min(d.Least, x), max(d.Most, x)
	delta := x - d.Mean
	d.Mean += delta / float64(d.N)
	d.Squares += float64(delta * (x - d.Mean))
	if x <= 0 {
		d.Zero++
		return
	}
	if d.Buckets == nil {
		d.Buckets = map[int]uint64{}
	}
	d.Buckets[durationBuckets.Index(x)]++
}

// Join adds other durations.
func (d *Durations) Join(o *Durations) {
	if o.N == 0 {
		return
	}
	if d.N == 0 {
		d.Least, d.Most = o.Least, o.Most
	}
	n, m := float64(d.N), float64(o.N)
	delta := o.Mean - d.Mean
	d.Mean += float64(delta*m) / (n + m)
	d.Squares += o.Squares + float64(delta*delta)*float64(n*m)/(n+m)
	d.N, d.Zero = d.N+o.N, d.Zero+o.Zero
	d.Least, d.Most = min(d.Least, o.Least), max(d.Most, o.Most)
	if d.Buckets == nil {
		d.Buckets = map[int]uint64{}
	}
	for k, n := range o.Buckets {
		d.Buckets[k] += n
	}
}

// Each calls fn with all durations by their buckets: a value within the accuracy, and how many
// there are.
func (d *Durations) Each(fn func(x float64, n uint64)) {
	if d.Zero > 0 {
		fn(0, d.Zero)
	}
	for _, k := range slices.Sorted(maps.Keys(d.Buckets)) {
		fn(min(d.Most, max(d.Least, durationBuckets.Value(k))), d.Buckets[k])
	}
}

// SD is the standard deviation; NaN of fewer than two.
func (d *Durations) SD() float64 {
	if d.N < 2 {
		return math.NaN()
	}
	return math.Sqrt(d.Squares / float64(d.N-1))
}

// Quantile is the p-quantile, within the accuracy of the buckets; NaN of none.
func (d *Durations) Quantile(p float64) float64 {
	if d.N == 0 {
		return math.NaN()
	}
	rank, sum := max(1, uint64(math.Ceil(p*float64(d.N)*(1-1e-12)))), d.Zero
	if rank <= sum {
		return 0
	}
	for _, k := range slices.Sorted(maps.Keys(d.Buckets)) {
		if sum += d.Buckets[k]; rank <= sum {
			return min(d.Most, max(d.Least, durationBuckets.Value(k)))
		}
	}
	return d.Most
}

func newTree(m *program.Program) *tree {
	sums := TreeSums{Cohorts: make([]Cohort, len(m.RecordTimes))}
	return &tree{offspring: make([]uint64, 1), chains: map[int]uint64{}, sums: sums}
}

// NewTreeSums returns the sums of no tree, with so many rows.
func NewTreeSums(rows int) TreeSums {
	return TreeSums{Offspring: map[int]uint64{}, Chains: map[int]uint64{}, Cohorts: make([]Cohort, rows)}
}

// copy copies a tree with n ids; nil if it is nil.
func (t *tree) copy(n int) *tree {
	if t == nil {
		return nil
	}
	c := *t
	c.infected = make([]infection, len(t.infected))
	copy(c.infected, t.infected[:n])
	c.trees, c.free = slices.Clone(t.trees), slices.Clone(t.free)
	c.offspring, c.chains = slices.Clone(t.offspring), maps.Clone(t.chains)
	c.sums.Cohorts = slices.Clone(t.sums.Cohorts)
	c.sums.Generation.Buckets = maps.Clone(t.sums.Generation.Buckets)
	return &c
}

// bytes is how much memory a tree takes besides the last infection of each individual.
func (t *tree) bytes() int {
	return cap(t.trees)*int(unsafe.Sizeof(treeRoot{})) + 4*cap(t.free) + 8*cap(t.offspring) +
		cap(t.sums.Cohorts)*int(unsafe.Sizeof(Cohort{})) + mapBytes(len(t.chains)+len(t.sums.Generation.Buckets), 16)
}

// infects counts that somebody who has infected n has infected one more.
func (t *tree) infects(n uint32) {
	t.offspring[n]--
	if int(n)+1 == len(t.offspring) {
		t.offspring = append(t.offspring, 0)
	}
	t.offspring[n+1]++
}

// plant begins a tree with an individual, which joins it.
func (t *tree) plant(r *Run, root uint64) (in uint32) {
	one := treeRoot{root: root, began: r.modelTime(), size: 1, members: 1}
	t.sums.Largest.atLeast(&one)
	// Another event at this instant may still be caused by an individual that has just left.
	for last := len(t.free) - 1; last >= 0 && t.freed < r.Now; last-- {
		in, t.free = t.free[last], t.free[:last]
		if t.trees[in].members == 0 {
			t.chains[int(t.trees[in].size)]++
			t.trees[in] = one
			return in
		}
	}
	t.trees = append(t.trees, one)
	return uint32(len(t.trees) - 1)
}

// quit notes that an individual is no longer a member of a tree, which may be noTree.
func (t *tree) quit(now float64, in uint32) {
	if in == noTree {
		return
	}
	if t.trees[in].members--; t.trees[in].members == 0 {
		t.free, t.freed = append(t.free, in), now
	}
}

func (l *LargestTree) atLeast(t *treeRoot) {
	if int(t.size) > l.Size {
		*l = LargestTree{t.root, t.began, int(t.size)}
	}
}

// infect adds an infection. by is the infector, or the individual itself or noID if there is none.
func (t *tree) infect(r *Run, id, by uint32) {
	own := &t.infected[id]
	if own.tree == noTree {
		t.offspring[0]++
	}
	row := uint32(r.rowAt(r.Now))
	e := Infection{Infected: r.numbers[id], Time: r.modelTime(), ByTime: math.NaN()}
	var in uint32
	generation := uint32(0)
	if by == noID || by == id {
		in = t.plant(r, e.Infected)
	} else {
		maker := &t.infected[by]
		if maker.tree == noTree { // it begins a tree, and was never infected
			maker.tree = t.plant(r, r.numbers[by])
			t.offspring[0]++
		}
		t.infects(maker.children)
		maker.children++
		in, generation = maker.tree, maker.generation+1
		one := &t.trees[in]
		one.size++
		one.members++
		t.sums.Largest.atLeast(one)
		e.By = r.numbers[by]
		if !math.IsNaN(maker.time) {
			e.ByTime = r.Program.Start + maker.time
			t.sums.Generation.Add(r.Now - maker.time)
			t.sums.Cohorts[maker.row].Offspring++
		}
	}
	t.quit(r.Now, own.tree)
	own.time, own.generation, own.tree, own.row = r.Now, generation, in, row
	t.sums.Cohorts[row].Infected++
	if r.OnInfection != nil {
		e.Generation, e.Root, e.Among = int(generation), t.trees[in].root, r.observers.among(r.Now, id, by)
		r.OnInfection(&e)
	}
}

// rowAt returns the row of the interval that a time since the start is in: the first that is not
// before it.
func (r *Run) rowAt(t float64) int {
	k, _ := slices.BinarySearch(r.Program.RecordTimes, t-r.Program.TimeTolerance)
	return min(k, len(r.Program.RecordTimes)-1)
}

// modelTime is the time on the model's clock.
func (r *Run) modelTime() float64 {
	if r.underway != nil {
		return r.underway.ModelTime
	}
	return r.Program.Start + r.Now
}

// TreeSums returns the sums of the trees of a run up to now, if they are recorded.
func (r *Run) TreeSums() *TreeSums {
	if r.observers == nil || r.observers.tree == nil {
		return nil
	}
	t := r.observers.tree
	sums := t.sums
	sums.Offspring, sums.Chains = map[int]uint64{}, maps.Clone(t.chains)
	for k, n := range t.offspring {
		if n > 0 {
			sums.Offspring[k] = n
		}
	}
	for i := range t.trees {
		sums.Chains[int(t.trees[i].size)]++
	}
	return &sums
}
