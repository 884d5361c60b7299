package allocation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// A Batch is what became of one batch of balls under THRESHOLD[T].
type Batch struct {
	Incomplete bool     `json:"incomplete,omitempty"`
	Process    string   `json:"process"`
	Bins       int      `json:"bins"`
	Capacity   int      `json:"capacity"`
	Rate       float64  `json:"rate"`
	Arrivals   string   `json:"arrivals"`
	ByBin      bool     `json:"by_bin"`
	Seed       uint64   `json:"seed"`
	Balls      int      `json:"balls"`
	Rounds     int      `json:"rounds"`
	Left       int      `json:"balls_left"`
	Largest    int      `json:"largest_load"`
	LnLn       *float64 `json:"ln_ln_bins,omitempty"`
	LogLog     *float64 `json:"log2_log2_bins,omitempty"`
	Waits      []int    `json:"waits"` // how many balls were accepted in the first round, the second, …
	Loads      []int    `json:"loads"` // how many bins hold 0, 1, 2, … balls
	Thrown     int      `json:"balls_thrown"`
	Seconds    float64  `json:"-"` // that it took

	rows []Row
}

// Rows are the rounds, or the first of them if they are very many.
func (b *Batch) Rows() []Row { return b.rows }

// Threshold runs THRESHOLD[T] until all balls have a place, or for as many rounds as are wanted, if
// that is not 0. When the context is done, what there is until then comes with its error. After
// each round watch is called, if it is not nil, with what there is, which will not change.
func Threshold(ctx context.Context, c capped.Config, rounds int, tell Tell, watch func(*Batch)) (*Batch, error) {
	began := time.Now()
	p, err := capped.NewProcess(c)
	if err != nil {
		return nil, err
	}
	r := &Batch{Process: c.Kind.String(), Bins: c.Bins, Capacity: c.Capacity, Rate: c.Rate,
		Arrivals: c.Arrivals.String(), ByBin: c.ByBin, Seed: c.Seed, Waits: []int{}}
	if n := float64(c.Bins); n > math.E {
		r.LnLn, r.LogLog = finite(detmath.Log(detmath.Log(n))), finite(detmath.Log2(detmath.Log2(n)))
	}
	unfinished := func() bool { return r.Rounds == 0 || r.Left > 0 && (rounds == 0 || r.Rounds < rounds) }
	for unfinished() && ctx.Err() == nil {
		round := p.Round()
		r.Rounds++
		r.Balls += round.Arrived
		r.Left = round.Pool
		r.Thrown += round.Thrown
		r.Waits = p.Waits(r.Waits)
		if len(r.rows) < mostRows {
			r.rows = append(r.rows, Row{r.Rounds, r.Left, round})
		}
		tell(r.Balls-r.Left, max(1, r.Balls), fmt.Sprintf("round %s, %s balls left", format.Thousands(float64(r.Rounds)),
			format.Thousands(float64(r.Left))))
		if watch != nil {
			now := *r // rows are only appended to
			now.Incomplete, now.Waits, now.Loads = true, slices.Clone(r.Waits), slices.Clone(p.Loads())
			now.Largest = len(now.Loads) - 1
			watch(&now)
		}
	}
	r.Loads = p.Loads()
	r.Largest = len(r.Loads) - 1
	r.Seconds = time.Since(began).Seconds()
	if r.Incomplete = unfinished() && ctx.Err() != nil; r.Incomplete {
		return r, ctx.Err()
	}
	return r, nil
}

func (b *Batch) title() string {
	return fmt.Sprintf("threshold, %d accepted in a round, %s, %s", b.Capacity, format.Count(b.Balls, "ball"),
		format.Count(b.Bins, "bin"))
}

// PoolChart is how many balls are left after each round.
func (b *Batch) PoolChart() plot.Chart {
	left := plot.Series{X: []float64{0}, Y: []float64{float64(b.Balls)}}
	for _, row := range b.rows {
		left.Add(float64(row.Number), float64(row.Pool))
	}
	return plot.Chart{Title: b.title(), XLabel: "round", YLabel: "balls left after the round", LogY: true,
		LegendBeside: true,
		Series:       []plot.Series{thinned(left)}}
}

// WaitsChart is the histogram of when balls were accepted.
func (b *Batch) WaitsChart() plot.Chart {
	return waitsChart(b.title(), "rounds before a ball was accepted", Shares(b.Waits), nil)
}

// LoadsChart is how many of the bins hold how many balls.
func (b *Batch) LoadsChart() plot.Chart { return loadsChart(b.title(), Shares(b.Loads), nil) }
