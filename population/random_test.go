package population_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/internal/randommodel"
	"github.com/almanac-sim/almanac/population/results"
)

// What holds of every model holds of random ones that mix all features: the invariants, the same
// result with one worker and with two, saved and continued as uninterrupted, a fork as its original,
// and the same numbers in all formats. A refused model is a fault of the generator.
func TestRandomModels(t *testing.T) {
	models := testscale.Size(300, 10_000)
	var refused, stopped []string
	for seed := range uint64(models) {
		m := randommodel.New(seed + 1)
		err := randomFault(t, m)
		var no refusal
		switch {
		case err == nil:
		case errors.As(err, &no):
			refused = append(refused, fmt.Sprintf("seed %d: %v", m.Seed, err))
		case errors.Is(err, errStopped):
			stopped = append(stopped, fmt.Sprintf("seed %d: %v", m.Seed, err))
		default:
			kind := kindOfFault(err)
			least := m.Shrink(400, func(less *randommodel.Model) bool {
				other := randomFault(t, less)
				return other != nil && kindOfFault(other) == kind
			})
			t.Errorf("seed %d: %v\n\n%s\nof which this is enough: %v\n\n%s", m.Seed, err, m, randomFault(t, least), least)
		}
	}
	if len(refused) > models/10 {
		t.Errorf("%d models are refused:\n%s", len(refused), strings.Join(refused, "\n"))
	}
	if len(stopped) > models/10 {
		t.Errorf("%d runs stop early:\n%s", len(stopped), strings.Join(stopped, "\n"))
	}
}

// A refusal is that of a model.
type refusal struct{ error }

// errStopped is the error of a run that stops as the reference says: because there are too many.
var errStopped = errors.New("the run stops early")

// randomRuns are the errors of runs that a model may have.
var randomRuns = regexp.MustCompile(`there are more than 1000 individuals|the clock stands still|more than there is room for`)

// kindOfFault is what faults of one kind have in common: their error without numbers and names.
func kindOfFault(err error) string {
	var no refusal
	if errors.As(err, &no) || errors.Is(err, errStopped) {
		return ""
	}
	s, _, _ := strings.Cut(err.Error(), "\n")
	return regexp.MustCompile(`[a-z]+=[a-z]+|[0-9.]+`).ReplaceAllString(s, "")
}

// randomFault returns what is wrong with a model.
func randomFault(t *testing.T, m *randommodel.Model) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = panicked(e)
		}
	}()
	x := &randomRun{Context: t.Context(), m: m, text: []byte(m.Text()), o: population.Options{Seed: m.Seed, Replicas: 2},
		draws: rand.New(rand.NewPCG(m.Seed, 1)), path: filepath.Join(t.TempDir(), "state")}
	if x.model, err = x.compile(); err != nil {
		return refusal{err}
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"a run", x.alone}, {"its events", x.events}, {"two workers", x.workers}, {"by windows", x.windows},
		{"steps and forks", x.forks}, {"saved and continued", x.saved}, {"formats", x.formats},
	} {
		if err := step.do(); err != nil {
			if randomRuns.MatchString(err.Error()) {
				return fmt.Errorf("%w: %w", errStopped, err)
			}
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// panicked is the error of a panic, with the place in the first line.
func panicked(e any) error {
	stack := string(debug.Stack())
	_, after, _ := strings.Cut(stack, "\npanic(")
	place := regexp.MustCompile(`[^/\n]*\.go:[0-9]+`).FindAllString(after, 2)
	return fmt.Errorf("panic: %v at %v\n%s", e, place[len(place)-1:], stack)
}

// A randomRun is a model, its runs so far, and where to save its state.
type randomRun struct {
	context.Context
	m      *randommodel.Model
	text   []byte
	model  *population.Model
	o      population.Options
	runs   []*population.Run // of alone
	want   [][]byte
	result *population.Result // with two workers
	draws  *rand.Rand
	path   string
}

func (x *randomRun) compile(changes ...population.Change) (*population.Model, error) {
	return population.Compile("model.yaml", x.text, append(changes, population.Files(x.m.Read))...)
}

// alone runs the model in this goroutine, so that a panic has its seed.
func (x *randomRun) alone() error {
	runs, err := runAlone(x, x.model, x.o)
	if err != nil {
		return err
	}
	x.runs, x.want = runs, bytesOf(runs)
	return nil
}

func runAlone(ctx context.Context, m *population.Model, o population.Options) (runs []*population.Run, err error) {
	r, err := m.Runner(o)
	if err != nil {
		return nil, err
	}
	for k := range o.Replicas {
		run, err := r.Run(ctx, k)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// bytesOf are runs, without what differs between two runs of the same.
func bytesOf(runs []*population.Run) (all [][]byte) {
	for _, run := range runs {
		own := *run
		own.Seconds, own.Setup, own.Before = 0, 0, 0
		b, err := own.MarshalBinary()
		if err != nil {
			panic(err)
		}
		all = append(all, b)
	}
	return all
}

func same(got, want [][]byte) error {
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			return fmt.Errorf("replica %d is another", i)
		}
	}
	return nil
}

// events runs the model once more with a listener, which follows every individual and counts for
// itself.
func (x *randomRun) events() error {
	type person struct {
		state  string
		values []string
		places []int
	}
	people, counts, named, flows := map[uint64]*person{}, map[string]int{}, map[string]uint64{}, map[string]uint64{}
	var wrong error
	attributes := x.model.Attributes()
	o := x.o
	o.Replicas = 1
	o.OnEvent = func(e population.Event) {
		if e.Kind != population.Happened && e.Kind != population.Linked && e.Kind != population.Unlinked {
			named[e.Name]++
		}
		p := people[e.Individual]
		switch e.Kind {
		case population.Happened, population.Linked, population.Unlinked:
			return
		case population.Started, population.Entered:
			if p != nil {
				wrong = fmt.Errorf("individual %d begins twice", e.Individual)
			}
			p = &person{}
			people[e.Individual] = p
		default:
			if p == nil || p.state != e.From {
				wrong = fmt.Errorf("individual %d goes from %s: %+v", e.Individual, e.From, p)
				return
			}
		}
		if e.Kind == population.Changed || e.Kind == population.Left || e.Kind == population.Entered {
			flows[e.From+"->"+e.To]++
		}
		if p.state, p.values, p.places = e.To, e.Values, e.Places; e.Kind == population.Left {
			delete(people, e.Individual)
		}
	}
	runs, err := runAlone(x, x.model, o)
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	if err := same(bytesOf(runs), x.want[:1]); err != nil {
		return err
	}
	members := make([]map[int]int, len(x.model.Places()))
	for _, p := range people {
		counts[p.state]++
		for a, v := range p.values {
			counts[attributes[a]+"="+v]++
		}
		for k, place := range p.places {
			if members[k] == nil {
				members[k] = map[int]int{}
			}
			if place > 0 {
				members[k][place]++
			}
		}
	}
	run := runs[0]
	last := run.Rows() - 1
	for s, name := range x.model.Counted() {
		if n := run.Count(last, s); n != counts[name] {
			return fmt.Errorf("%d are %s, and %d by events", n, name, counts[name])
		}
	}
	for f, flow := range x.model.Flows() {
		if n, ok := flows[flow.String()]; ok && n != run.Flow(last, f) {
			return fmt.Errorf("%v happened %d times, and %d times by events", flow, run.Flow(last, f), n)
		}
	}
	for k, name := range x.model.Names() {
		// Of an exchange both individuals have an event, and closing happens to nobody.
		if n := run.Named(last, k); n != named[name] && name != "exchange" && !strings.HasPrefix(name, "closing") &&
			!strings.HasSuffix(name, " begins") {
			return fmt.Errorf("%s happened %d times, and %d times by events", name, n, named[name])
		}
	}
	for k, kind := range x.model.Places() {
		all := run.Places(last, k)
		sum := 0
		for _, n := range members[k] {
			sum += n
		}
		if sum != all.Members {
			return fmt.Errorf("%d are in places of %s, and %d by events", all.Members, kind, sum)
		}
	}
	return nil
}

func (x *randomRun) workers() error {
	o := x.o
	o.Workers = 2
	r, err := x.model.Run(x, o)
	if err != nil {
		return err
	}
	x.result = r
	return same(bytesOf([]*population.Run{&r.Runs[0], &r.Runs[1]}), x.want)
}

func (x *randomRun) windows() error {
	if !x.m.Plain {
		return nil
	}
	runs, err := runAlone(x, x.model, population.ByWindows(x.o, 1))
	if err != nil {
		return err
	}
	return same(bytesOf(runs), x.want)
}

// time is a time at random.
func (x *randomRun) time() float64 {
	start, end := x.model.Start(), x.model.End()
	if times := x.model.Times(); x.draws.IntN(4) == 0 {
		return times[x.draws.IntN(len(times))]
	}
	return start + x.draws.Float64()*(end-start)
}

// forks compares a process, its copy, and its forks, which go on one after the other and at once.
func (x *randomRun) forks() error {
	o := x.o
	o.OnEvent = func(population.Event) {} // for the copy
	p, err := x.model.Begin(x, o, 0)
	if err != nil {
		return err
	}
	at := x.time()
	for _, stop := range []float64{(x.model.Start() + at) / 2, at} {
		if err := p.Advance(x, stop); err != nil {
			return err
		}
		if err := p.Check(); err != nil {
			return fmt.Errorf("at %v: %w", stop, err)
		}
	}
	alike, err := p.ForkAlike(func(population.Event) {})
	if err != nil {
		return err
	}
	var forks []*population.Process // each second one is the one before it again
	for k := range uint64(4) {
		f, err := p.Fork(k / 2)
		if err != nil {
			return err
		}
		if err := f.Check(); err != nil {
			return fmt.Errorf("a fork at %v: %w", at, err)
		}
		forks = append(forks, f)
	}
	errs := make([]error, 4)
	advance := func(k int) {
		defer func() {
			if e := recover(); e != nil {
				errs[k] = panicked(e)
			}
		}()
		errs[k] = forks[k].Advance(x, x.model.End())
	}
	advance(0)
	var group sync.WaitGroup
	for k := 1; k < 4; k++ {
		group.Go(func() { advance(k) })
	}
	group.Wait()
	for k := range 2 {
		a, b := errs[2*k], errs[2*k+1]
		switch {
		case a != nil && b != nil && a.Error() == b.Error() && randomRuns.MatchString(a.Error()):
			continue
		case a != nil || b != nil:
			return fmt.Errorf("a fork at %v: %w", at, errors.Join(a, b))
		}
		if f, g := forks[2*k], forks[2*k+1]; x.seen(f) != x.seen(g) {
			return fmt.Errorf("a fork at %v goes on as %s, and again as %s", at, x.seen(f), x.seen(g))
		}
	}
	for _, one := range []*population.Process{p, alike} {
		if err := one.Advance(x, x.model.End()); err != nil {
			return err
		}
		if err := (&diary{run: x.runs[0]}).compare(one, x.model); err != nil {
			return fmt.Errorf("from %v on: %w", at, err)
		}
		one.Close()
	}
	for _, f := range forks {
		f.Close()
	}
	return nil
}

// seen is what is seen of a process.
func (x *randomRun) seen(p *population.Process) string {
	var b strings.Builder
	fmt.Fprint(&b, p.Events(), " ", p.Total())
	for s := range x.model.Counted() {
		fmt.Fprint(&b, " ", p.Count(s))
	}
	for f := range x.model.Flows() {
		fmt.Fprint(&b, " ", p.Flow(f))
	}
	for k := range x.model.Places() {
		fmt.Fprint(&b, " ", p.Places(k))
	}
	for k := range x.model.Networks() {
		fmt.Fprint(&b, " ", p.Network(k))
	}
	return b.String()
}

// saved saves the state at a time, once or twice, and goes on.
func (x *randomRun) saved() error {
	first, second := x.time(), x.time()
	if second < first {
		first, second = second, first
	}
	m, err := x.save(first, x.compile)
	if err != nil {
		return fmt.Errorf("at %v: %w", first, err)
	}
	if x.draws.IntN(2) == 0 {
		if m, err = x.save(second, m.compile); err != nil {
			return fmt.Errorf("at %v and %v: %w", first, second, err)
		}
	}
	o := x.o
	o.Seed, o.Replicas = 77, 1
	on, err := m.compile()
	if err != nil {
		return err
	}
	runs, err := runAlone(x, on, o)
	if err == nil {
		err = same(bytesOf(runs), x.want[:1])
	}
	if err != nil {
		return fmt.Errorf("from %v on: %w", first, err)
	}
	o.Redraw = true
	if _, err := runAlone(x, on, o); err != nil && !randomRuns.MatchString(err.Error()) {
		return fmt.Errorf("drawn again from %v on: %w", first, err)
	}
	if !x.m.Has("fit") {
		return nil
	}
	f, err := on.Fit(population.FitOptions{})
	if err != nil {
		return err
	}
	times := []float64{x.model.End() - 0.01, x.model.End()}
	if first >= times[0] || second >= times[0] {
		return nil
	}
	if _, err := modelfit.Of(f).Trials(times).Run(x, []float64{0.3}, 1); err != nil && !randomRuns.MatchString(err.Error()) {
		return fmt.Errorf("a trial from %v on: %w", first, err)
	}
	return nil
}

// A savedRandom is a saved state of the model.
type savedRandom struct{ state *population.State }

func (s savedRandom) compile(changes ...population.Change) (*population.Model, error) {
	return s.state.Compile(changes...)
}

// save runs a model up to a time and saves its state there.
func (x *randomRun) save(at float64, compile func(...population.Change) (*population.Model, error)) (s savedRandom, err error) {
	m, err := compile(population.SaveAt(strconv.FormatFloat(at, 'g', -1, 64)))
	if err != nil {
		return s, err
	}
	path := fmt.Sprint(x.path, at)
	w, err := m.CreateState(path)
	if err != nil {
		return s, err
	}
	defer w.Drop()
	o := x.o
	o.Replicas = 1
	if err := population.SaveAlone(x, m, o, w); err != nil {
		return s, err
	}
	if err := w.Keep(); err != nil {
		return s, err
	}
	s.state, err = population.OpenState(path)
	return s, err
}

// formats compares the cells of all tables in all formats.
func (x *randomRun) formats() error {
	if x.m.Seed%testscale.Size(uint64(4), 1) != 0 {
		return nil // this takes as long as all the rest
	}
	r := x.result
	tables := map[string]func(io.Writer, results.Format, *population.Result) error{
		"series": results.WriteSeries, "flows": results.WriteFlows, "outcomes": results.WriteOutcomes,
		"supplies": results.WriteSupplies, "networks": results.WriteNetworks, "values": results.WriteValues,
		"places": results.WritePlaces, "observed": results.WriteObserved,
	}
	for name, write := range tables {
		switch {
		case name == "outcomes" && len(x.model.Outcomes()) == 0 && !x.model.RecordsTime(),
			name == "networks" && len(x.model.Networks()) == 0, name == "places" && len(x.model.Places()) == 0,
			name == "supplies" && len(x.model.Supplies()) == 0, name == "values" && len(x.model.Values()) == 0,
			name == "observed" && len(x.model.Observations()) == 0:
			continue
		}
		var all []map[string][]string
		for _, f := range results.Formats() {
			var b bytes.Buffer
			if err := write(&b, f, r); err != nil {
				return err
			}
			read := map[results.Format]func([]byte) (map[string][]string, error){
				results.CSV: readCSV, results.JSON: readJSON, results.Parquet: readParquet,
			}
			columns, err := read[f](b.Bytes())
			if err != nil {
				return fmt.Errorf("%s.%s: %w", name, f, err)
			}
			all = append(all, columns)
		}
		for i, columns := range all {
			if len(columns) == 0 && len(all[0]["time"]) == 0 {
				continue // JSON has no columns without rows
			}
			if !reflect.DeepEqual(columns, all[0]) {
				return fmt.Errorf("%s.%s differs from %s.%s: %s", name, results.Formats()[i], name, results.Formats()[0],
					firstCell(columns, all[0]))
			}
		}
	}
	return nil
}

// firstCell names a cell in which two tables differ.
func firstCell(a, b map[string][]string) string {
	for name, cells := range a {
		if !slices.Equal(cells, b[name]) {
			for i := range cells {
				if i >= len(b[name]) || cells[i] != b[name][i] {
					return fmt.Sprintf("column %s, row %d of %d and %d", name, i, len(cells), len(b[name]))
				}
			}
		}
	}
	return "columns"
}

// cellOf is how a cell is compared: a number by its value, and no number as nothing.
func cellOf(s string) string {
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return s
}

func readCSV(text []byte) (map[string][]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	columns := map[string][]string{}
	for i, name := range rows[0] {
		cells := []string{}
		for _, row := range rows[1:] {
			cells = append(cells, cellOf(row[i]))
		}
		columns[name] = cells
	}
	return columns, nil
}

func readJSON(text []byte) (map[string][]string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var blocks []map[string][]any
	if err := d.Decode(&blocks); err != nil {
		return nil, err
	}
	columns := map[string][]string{}
	for _, block := range blocks {
		for name, values := range block {
			for _, v := range values {
				if v == nil {
					v = ""
				}
				columns[name] = append(columns[name], cellOf(fmt.Sprint(v)))
			}
		}
	}
	return columns, nil
}

func readParquet(text []byte) (map[string][]string, error) {
	f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	columns, fields := map[string][]string{}, f.Schema().Fields()
	for _, field := range fields {
		columns[field.Name()] = []string{}
	}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 256)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for _, v := range row {
					name := fields[v.Column()].Name()
					cell := ""
					if !v.IsNull() {
						cell = v.String()
					}
					columns[name] = append(columns[name], cellOf(cell))
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
		}
		if err := rows.Close(); err != nil {
			return nil, err
		}
	}
	return columns, nil
}
