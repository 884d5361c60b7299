package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// runOnHub runs the replicas on the workers of a hub. What they record comes back as a whole, so
// that the result is the one that they would give here.
func (f *runFlags) runOnHub(c *cobra.Command, s *study.Study) error {
	m := s.Plain
	if need, have := m.Recorded(f.Replicas), memory.Free().Pages; need > have {
		return fmt.Errorf("%s: %w: what %s record takes about %s here, and %s are available; record fewer rows, or tell "+
			"less with almanac sweep",
			m.Name(), population.ErrMemory, format.Count(f.Replicas, "replica"), format.Bytes(need), format.Bytes(have))
	}
	job, err := s.Job()
	if err != nil {
		return cli.Usage(err)
	}
	out, err := openOutput(c, s.Request)
	if err != nil {
		return err
	}
	defer out.Drop()
	began := time.Now()
	result := &population.Result{Model: m, Version: population.Version(), Seed: f.Seed, Replicas: f.Replicas,
		Times: m.Times()}
	_, err = f.do(c, job, ourRegistry(), "", ensemble.RunOptions{Replica: func(_, replica int, v ensemble.Values) error {
		run, err := m.ReadRun(v.Data)
		switch {
		case err != nil:
			return fmt.Errorf("replica %d: %w", replica, err)
		case run.Replica != replica || replica != len(result.Runs):
			return errors.New("a replica came that was not due")
		}
		result.Runs = append(result.Runs, *run)
		result.Events += run.Events
		result.PersonYears += run.PersonYears
		return nil
	}})
	if err != nil {
		return trim(s.RepeatHere(err))
	}
	result.Done = len(result.Runs)
	result.Seconds = time.Since(began).Seconds()
	return f.deliver(c, s, result, out)
}
