package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// A cappedForm is the form of a balls-into-bins process, with the flags of almanac capped.
type cappedForm struct {
	Process, Bins, Capacity, Choices, Rate, Arrivals, Rounds, BurnIn, Seed, Pace string
	Warm                                                                         bool
}

// defaultCapped has the defaults of almanac capped.
var defaultCapped = cappedForm{Process: "capped", Bins: "32768", Capacity: "2", Choices: "2", Rate: "0.99",
	Arrivals: "exact", Seed: "1"}

// Bounds of a process. MODCAPPED throws every ball, at 10 to 20 ns each. The others draw the
// numbers of bins by load, which takes up to 0.2 ms a round for 2^24 bins.
const (
	maxBins           = 1 << 24
	maxModCappedBins  = 1 << 15
	maxCapacity       = 256
	maxChoices        = 64
	maxBatchRate      = 100       // balls per bin
	maxRounds         = 2_000_000 // with burn-in
	maxModCappedBalls = 1 << 32   // about a minute
)

var (
	allocationKinds    = []capped.Kind{capped.Capped, capped.ModCapped, capped.Greedy, capped.Threshold}
	allocationArrivals = []capped.Arrivals{capped.Exact, capped.Binomial, capped.Poisson}
	allocationPaces    = []string{"", "5", "20", "100"} // rounds per second; the first is unlimited
)

// maxRates are the rates up to which the theory is computed quickly.
var maxRates = map[capped.Kind]float64{capped.Capped: 1 - 0x1p-16, capped.ModCapped: 1 - 0x1p-16,
	capped.Greedy: 1 - 0x1p-12, capped.Threshold: maxBatchRate}

func readCappedForm(form url.Values) cappedForm {
	get := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return cappedForm{Process: get("process"), Bins: get("bins"), Capacity: get("capacity"), Choices: get("choices"),
		Rate: get("rate"), Arrivals: get("arrivals"),
		Rounds: get("rounds"), BurnIn: get("burn-in"), Seed: get("seed"), Pace: get("pace"), Warm: form.Get("warm") != ""}
}

// A fieldReader parses the fields of a form and keeps the first error.
type fieldReader struct{ err error }

// errorf records an error of a field.
func (f *fieldReader) errorf(field, message string, args ...any) {
	if f.err == nil {
		f.err = httperr.Unprocessable("%s: %s", field, fmt.Sprintf(message, args...))
	}
}

func (f *fieldReader) whole(field, text, what string, least, most float64) int {
	n, err := allocation.ParseWhole(text, what, least, most)
	if err != nil {
		f.errorf(field, "%v", err)
	}
	return n
}

func (f *fieldReader) seed(text string) uint64 {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		f.errorf("Seed", "%q is not a seed; wanted is a whole number from 0 on", text)
	}
	return seed
}

// oneOf finds a value by its name; message is the error.
func oneOf[T fmt.Stringer](f *fieldReader, field, text string, all []T, message string) (one T) {
	i := slices.IndexFunc(all, func(x T) bool { return x.String() == text })
	if i < 0 {
		f.errorf(field, message, text)
		return one
	}
	return all[i]
}

// read parses the form. It returns the process, the plan of the measurement and the equivalent
// command line.
func (a cappedForm) read() (c capped.Config, plan capped.Plan, command string, err error) {
	var f fieldReader
	c.Kind = oneOf(&f, "Process", a.Process, allocationKinds, "there is no %q")
	c.Arrivals = oneOf(&f, "Arrivals", a.Arrivals, allocationArrivals, "there are none that are %q")
	words := []string{"almanac", "capped"}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, "--"+flag, format.Word(value))
		}
	}
	u := defaultCapped
	add("process", a.Process, u.Process)
	most := float64(maxBins)
	if c.Kind == capped.ModCapped {
		most = maxModCappedBins
	}
	c.Bins = f.whole("Bins", a.Bins, "bins", 1, most)
	add("bins", a.Bins, u.Bins)
	if c.Kind == capped.Greedy {
		c.Choices = f.whole("Choices", a.Choices, "bins to look at", 1, maxChoices)
		add("choices", a.Choices, u.Choices)
	} else {
		c.Capacity = f.whole("Capacity", a.Capacity, "balls", 1, maxCapacity)
		add("capacity", a.Capacity, u.Capacity)
	}
	if c.Rate, err = allocation.ParseRate(a.Rate, c.Kind); err != nil {
		f.errorf("Rate", "%v", err)
	}
	if near := maxRates[c.Kind]; c.Rate > near {
		f.errorf("Rate", "%q is more than is run here; the most for %v is %s, and the command line has no such bound",
			a.Rate, c.Kind, format.Rate(near))
	}
	add("rate", a.Rate, u.Rate)
	add("arrivals", a.Arrivals, u.Arrivals)
	least := 20.0 // needed for a standard error
	if c.Kind == capped.Threshold {
		least = 1
	}
	if a.Rounds != "" {
		plan.Rounds = f.whole("Rounds", a.Rounds, "rounds", least, maxRounds)
		add("rounds", a.Rounds, "")
	}
	if a.BurnIn != "" && c.Kind != capped.Threshold {
		if plan.BurnIn = f.whole("Burn-in", a.BurnIn, "rounds", 0, maxRounds); plan.BurnIn == 0 {
			plan.BurnIn = -1
		}
		add("burn-in", a.BurnIn, "")
	}
	if c.Warm = a.Warm && c.Kind == capped.Capped; c.Warm {
		words = append(words, "--warm")
	}
	c.Seed = f.seed(a.Seed)
	add("seed", a.Seed, u.Seed)
	return c, plan, strings.Join(words, " "), f.err
}

// pace is the minimal duration of a round.
func (a cappedForm) pace() (time.Duration, error) {
	if !slices.Contains(allocationPaces, a.Pace) {
		return 0, httperr.Unprocessable("Pace: %q is none that there is", a.Pace)
	}
	n, err := strconv.Atoi(a.Pace)
	if err != nil { // unlimited
		return 0, nil
	}
	return time.Second / time.Duration(n), nil
}

func (a cappedForm) work() (runs.Work, error) {
	c, plan, command, err := a.read()
	if err != nil {
		return runs.Work{}, err
	}
	pace, err := a.pace()
	if err != nil {
		return runs.Work{}, err
	}
	w := runs.Work{From: "/capped?" + a.query().Encode(), Command: command, ResultBytes: 1 << 16,
		Memory: 1<<24 + 32*uint64(c.Bins)}
	begins := fmt.Sprintf("%s, λ = %s, %v arrivals, seed %d", format.Count(c.Bins, "bin"), format.Rate(c.Rate),
		c.Arrivals, c.Seed)
	if c.Kind == capped.Threshold {
		w.Title, w.About = fmt.Sprintf("threshold, %d accepted in a round", c.Capacity), begins
		w.Do = func(ctx context.Context, report *runs.Reporter) error {
			return runThreshold(ctx, report, c, plan.Rounds, command, newPacer(pace))
		}
		return w, nil
	}
	p, err := allocation.New(c, plan, true)
	var f fieldReader
	switch {
	case errors.Is(err, capped.ErrSlow):
		f.errorf("Rounds", "%v; say how many there should be, and how many of burn-in", err)
	case err != nil:
		return runs.Work{}, httperr.Unprocessable("%v", err)
	case p.BurnIn+p.Rounds > maxRounds:
		f.errorf("Rounds", "these are %s with the burn-in, and at most %s are run here; "+
			"say how many there should be, and how many of burn-in",
			format.Thousands(float64(p.BurnIn+p.Rounds)), format.Thousands(maxRounds))
	case float64(p.BurnIn+p.Rounds)*float64(p.Least) > maxModCappedBalls:
		f.errorf("Rounds", "modcapped throws each ball, at least %s in each of %s, which takes too long here; "+
			"take fewer rounds, fewer bins or a smaller capacity",
			format.Thousands(float64(p.Least)), format.Count(p.BurnIn+p.Rounds, "round"))
	}
	if f.err != nil {
		return runs.Work{}, f.err
	}
	w.Title, w.About = p.Name(), begins
	w.ResultBytes += 100 * uint64(min(p.BurnIn+p.Rounds, 100_000))
	w.Do = func(ctx context.Context, report *runs.Reporter) error {
		return runCapped(ctx, report, p, command, newPacer(pace))
	}
	return w, nil
}

// paceLimit is how long a process is slowed down; tests extend it.
var paceLimit = time.Minute

// A pacer slows rounds down for viewers, for at most paceLimit, since other runs may wait.
type pacer struct {
	each time.Duration
	end  time.Time
}

func newPacer(each time.Duration) *pacer { return &pacer{each: each} }

func (p *pacer) wait(ctx context.Context) {
	if p.each == 0 {
		return
	}
	if p.end.IsZero() {
		p.end = time.Now().Add(paceLimit)
	}
	if !time.Now().After(p.end) {
		ctx, cancel := context.WithTimeout(ctx, p.each)
		defer cancel()
		<-ctx.Done()
	}
}

// latest holds the latest sample of a process. A new one is made only after the last one was read.
type latest[T any] struct {
	requested atomic.Bool
	mu        sync.Mutex
	value     *T
}

// put stores a new sample, if the last one was read.
func (l *latest[T]) put(make func() *T) {
	if l.requested.CompareAndSwap(true, false) {
		l.set(make())
	}
}

func (l *latest[T]) set(v *T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.value = v
}

// get returns the latest sample, or nil, and requests another.
func (l *latest[T]) get() *T {
	l.requested.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value
}

// runCapped runs a process and reports it.
func runCapped(ctx context.Context, report *runs.Reporter, p *allocation.Point, command string, pace *pacer) error {
	var seen latest[allocation.Point]
	seen.requested.Store(true) // the first round
	all := p.BurnIn + p.Rounds
	report.Show(func() runs.View {
		if now := seen.get(); now != nil && len(now.Rows()) > 0 { // long processes record only some rounds
			return cappedView(now, all, command)
		}
		return runs.View{}
	})
	rounds := 0
	var last *capped.Process // after the last round
	err := p.Run(ctx, func(done, of int, doing string) {
		report.Progress(runs.Progress{Fraction: float64(done) / float64(of), Note: doing})
	}, func(process *capped.Process) {
		rounds++
		last = process
		seen.put(func() *allocation.Point { return p.Now(process) })
		if pace.each > 0 {
			report.Progress(runs.Progress{Fraction: float64(rounds) / float64(all), Note: fmt.Sprintf("round %s of %s",
				format.Thousands(float64(rounds)), format.Thousands(float64(all)))})
			pace.wait(ctx)
		}
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	switch {
	case len(p.Rows()) == 0:
	case p.Incomplete && last != nil: // keep the figures of a stopped process
		seen.set(p.Now(last))
	default:
		seen.set(p)
	}
	report.Progress(runs.Progress{Fraction: float64(p.Reached) / float64(all), Note: "round " +
		format.Thousands(float64(p.Reached)) + ", " + format.Count(p.Thrown, "ball") + " thrown"})
	return err
}

// cappedView is the view of a process of so many rounds in all.
func cappedView(p *allocation.Point, all int, command string) (v runs.View) {
	_, bound, estimate := p.Theories()
	pool, waiting := p.PoolChart(), p.WaitingChart()
	if !p.Warm { // the axis must not move while the lines grow
		pool.UpToX, waiting.UpToX = float64(all), float64(all)
	}
	said := func(what string, x *float64) string {
		if x == nil {
			return ""
		}
		return fmt.Sprintf("; %s: %s", what, allocation.Rough(x))
	}
	pool.Note = "lines: each round, or the mean of several, with a band from the least to the most" + said("proved bound",
		bound.Pool) + said("estimate of the authors", estimate.Pool)
	waiting.Note = "of the balls served in a round" + said("proved bound",
		bound.Longest) + said("estimate of the authors", estimate.Longest)
	caption := "Pool after each round"
	if p.Kind() == capped.Greedy {
		caption = "Balls in the bins after each round"
	}
	v.Figures = []figure.Figure{{ID: "pool", Caption: caption, Chart: pool, Band: roundsBand}}
	if p.Measured != nil { // a process that was stopped early has none
		loads, waits := p.LoadsChart(), p.WaitsChart()
		loads.Note, waits.Note = "mean of the measured rounds", "of all balls served in the measured rounds"
		if p.Incomplete {
			loads.Note, waits.Note = "after this round", "of the balls served in this round"
		}
		v.Figures = append(v.Figures, figure.Figure{ID: "loads", Caption: "How many bins hold how many balls",
			Chart: loads}, figure.Figure{ID: "waits", Caption: "How many balls wait how long", Chart: waits})
	}
	v.Figures = append(v.Figures, figure.Figure{ID: "waiting", Caption: "Waiting times in each round", Chart: waiting,
		Band: roundsBand})
	if p.Measured != nil && !p.Incomplete {
		head, rows := p.Table()
		t := figure.Table{Caption: "What was measured, and theory", Note: p.Sweet.String(),
			Head: []string{"", head[1], head[2],
				withSource("bound", head[3]), withSource("estimate", head[4])}, Rows: rows}
		v.Tables = append(v.Tables, t)
		if len(p.Warnings) > 0 {
			v.Tables[0].Note += " Mind: " + strings.Join(p.Warnings, "; ") + "."
		}
		limit, _, _ := p.Theories()
		v.Files = append(v.Files, figure.File{Name: "capped.json", About: "everything that was measured, and the theory",
			Write: func(w io.Writer) error {
				return figure.WriteJSON(w, struct {
					Command string `json:"command"`
					*allocation.Point
				}{command, p})
			}}, figure.File{Name: "waits.csv", About: "how many balls waited how long", Write: func(w io.Writer) error {
			return allocation.WaitsCSV(w, p.Measured.Waits, limit.Waits)
		}})
	}
	v.Files = append(v.Files, figure.File{Name: "rounds.csv", About: "what happened in each round",
		Write: func(w io.Writer) error {
			return allocation.RoundsCSV(w, p.Rows())
		}})
	return v
}

const roundsBand = "mean (least–most) of the rounds that a point stands for"

// withSource appends the source of a theory to its name.
func withSource(name, from string) string {
	if from == "" {
		return name
	}
	return name + ", " + from
}

// runThreshold runs THRESHOLD[T] and reports it.
func runThreshold(ctx context.Context, report *runs.Reporter, c capped.Config, rounds int, command string,
	pace *pacer) error {
	var seen latest[allocation.Batch]
	report.Show(func() runs.View {
		b := seen.get()
		if b == nil || b.Balls == 0 {
			return runs.View{}
		}
		return thresholdView(b, command)
	})
	b, err := allocation.Threshold(ctx, c, rounds, func(done, of int, doing string) {
		report.Progress(runs.Progress{Fraction: float64(done) / float64(of), Note: doing})
	}, func(now *allocation.Batch) {
		seen.set(now)
		pace.wait(ctx)
	})
	if b != nil {
		seen.set(b)
	}
	return err
}

func thresholdView(b *allocation.Batch, command string) runs.View {
	left, waits, loads := b.PoolChart(), b.WaitsChart(), b.LoadsChart()
	left.Note, loads.Note = "balls without a place", "after the last round"
	v := runs.View{Figures: []figure.Figure{{ID: "pool", Caption: "Balls left after each round", Chart: left},
		{ID: "loads", Caption: "How many bins hold how many balls", Chart: loads},
		{ID: "waits", Caption: "How many balls were accepted after how many rounds", Chart: waits}}}
	t := figure.Table{Caption: "The batch", Head: []string{"", "number"}}
	row := func(name, value string) { t.Rows = append(t.Rows, []string{name, value}) }
	row("balls", format.Thousands(float64(b.Balls)))
	row("rounds", strconv.Itoa(b.Rounds))
	row("balls left", format.Thousands(float64(b.Left)))
	row("largest load", strconv.Itoa(b.Largest))
	if b.LnLn != nil {
		row("ln ln n", fmt.Sprintf("%.2f", *b.LnLn))
		row("log₂ log₂ n", fmt.Sprintf("%.2f", *b.LogLog))
	}
	v.Tables = []figure.Table{t}
	v.Files = []figure.File{{Name: "capped.json", About: "everything that was measured", Write: func(w io.Writer) error {
		return figure.WriteJSON(w, struct {
			Command string `json:"command"`
			*allocation.Batch
		}{command, b})
	}}, {Name: "rounds.csv", About: "what happened in each round", Write: func(w io.Writer) error {
		return allocation.RoundsCSV(w, b.Rows())
	}},
		{Name: "waits.csv", About: "how many balls were accepted in which round", Write: func(w io.Writer) error {
			return allocation.WaitsCSV(w, b.Waits, nil)
		}}}
	return v
}

func (a cappedForm) query() url.Values {
	q := url.Values{"process": {a.Process}, "bins": {a.Bins}, "capacity": {a.Capacity}, "choices": {a.Choices},
		"rate": {a.Rate}, "arrivals": {a.Arrivals}, "rounds": {a.Rounds},
		"burn-in": {a.BurnIn}, "seed": {a.Seed}, "pace": {a.Pace}}
	if a.Warm {
		q.Set("warm", "1")
	}
	return q
}

// capped shows the form, filled in from the address.
func (s *Server) capped(w http.ResponseWriter, r *http.Request) error {
	a := defaultCapped
	if r.URL.Query().Has("process") {
		a = readCappedForm(r.URL.Query())
	}
	return s.showCapped(w, r, http.StatusOK, a, "")
}

func (s *Server) showCapped(w http.ResponseWriter, r *http.Request, status int, a cappedForm, wrong string) error {
	s.render(w, r, status, "capped", "capped", map[string]any{"Title": "Balls and bins", "Form": a, "Wrong": wrong,
		"Processes": allocationProcesses, "Arrivals": allocationArrivals,
		"Paces": allocationPaces, "Most": fmt.Sprintf("up to %s bins, a capacity of %d, and %s rounds",
			format.Thousands(maxBins), maxCapacity, format.Thousands(maxRounds))})
	return nil
}

// allocationProcesses describe the kinds for the form.
var allocationProcesses = []struct{ Name, About string }{
	{"capped", "CAPPED: bins with room for c balls, the others wait in a pool"},
	{"modcapped", "MODCAPPED: as CAPPED, with at least m* balls thrown in every round"},
	{"greedy", "GREEDY: bins without a limit; a ball looks at d of them"},
	{"threshold", "THRESHOLD: one batch of λn balls; a bin accepts c in a round"},
}

func (s *Server) startCapped(w http.ResponseWriter, r *http.Request) error {
	a := readCappedForm(r.PostForm)
	return s.startForm(w, r, a.work, func(status int, wrong string) error { return s.showCapped(w, r, status, a, wrong) })
}

// startForm starts the work of a form, or shows the form again with its error.
func (s *Server) startForm(w http.ResponseWriter, r *http.Request, work func() (runs.Work, error),
	again func(status int, wrong string) error) error {
	begun, err := computed(r.Context(), s, work) // computes theory
	if httperr.Is(err, http.StatusUnprocessableEntity) {
		return again(http.StatusUnprocessableEntity, err.Error())
	}
	if err != nil {
		return err
	}
	return s.start(w, r, begun)
}
