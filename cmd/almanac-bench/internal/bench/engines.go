package bench

import (
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/capped/cappedtest"
)

// An Engine is a way to run CAPPED.
type Engine struct{ Name, About string }

// Engines are the ways to run CAPPED that are timed.
func Engines() []Engine {
	return []Engine{
		{"literal", "Algorithm 1 as printed: balls are objects, bins are queues, requests are made one by one"},
		{"by bin", "every ball thrown, loads and ages counted (Config.ByBin)"},
		{"by law", "how many bins get how many balls is drawn, no ball is thrown"},
	}
}

// round returns a function that makes a round and tells how many balls it threw and left, of a
// system in its long run.
func (c Cell) round(seed uint64) (func() (thrown, pool int), error) {
	if c.Structure != "literal" {
		p, err := capped.NewProcess(capped.Config{
			Bins: c.N, Capacity: c.Capacity, Rate: c.Rate, Seed: seed, Warm: true, ByBin: c.Structure == "by bin",
		})
		if err != nil {
			return nil, err
		}
		return func() (int, int) {
			r := p.Round()
			return r.Thrown, r.Pool
		}, nil
	}
	s := cappedtest.New(c.N, seed)
	limit := capped.NewLimit(c.Capacity, c.Rate)
	bin := 0
	for load, share := range limit.Loads {
		for k := int(share * float64(c.N)); k > 0 && bin < c.N; k-- {
			s.Bins[bin] = make([]cappedtest.Ball, load)
			bin++
		}
	}
	for age, share := range limit.Ages() {
		for k := int(share * float64(c.N)); k > 0; k-- {
			s.Pool = append(s.Pool, cappedtest.Ball{Label: -age})
		}
	}
	come := 0.0
	return func() (int, int) {
		come += c.Rate * float64(c.N)
		arrivals := int(come)
		come -= float64(arrivals)
		thrown := len(s.Pool) + arrivals
		s.Capped(c.Capacity, arrivals)
		return thrown, len(s.Pool)
	}, nil
}

// An engineSubject makes rounds.
type engineSubject struct {
	Cell
	make func() (thrown, pool int) // a round
}

// prepareEngine makes a system in its long run.
func prepareEngine(c Cell, o Options, r *Result) (subject, error) {
	before := heap()
	round, err := c.round(o.Seed)
	if err != nil {
		return nil, err
	}
	for range 20 { // buffers grow
		round()
	}
	r.Bytes = float64(heap() - before)
	return engineSubject{c, round}, nil
}

// repeat times one repetition.
func (s engineSubject) repeat(o Options, r *Result) error {
	thrown, rounds := 0, 0
	began := time.Now()
	for rounds == 0 || time.Since(began) < o.Least {
		balls, pool := s.make()
		thrown += balls
		r.Pool += float64(pool) / float64(s.N)
		rounds++
	}
	r.add(thrown, rounds, time.Since(began))
	return nil
}
