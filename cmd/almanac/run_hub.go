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
	"github.com/almanac-sim/almanac/internal/models"
	"github.com/almanac-sim/almanac/population"
)

// runOnHub runs the replicas on the workers of a hub. What they record comes back as a whole, so that the result is the one that they
// would give here.
func (f *runFlags) runOnHub(c *cobra.Command, path string, m *population.Model) error {
	if need, have := m.Recorded(f.replicas), memory.Free().Pages; need > have {
		return fmt.Errorf("%s: %w: what %s record takes about %s here, and %s are available; record fewer rows, or tell less with almanac sweep",
			m.Name(), population.ErrMemory, format.Count(f.replicas, "replica"), format.Bytes(need), format.Bytes(have))
	}
	s, err := f.study(c, path, m, models.Run)
	if err != nil {
		return err
	}
	s.From = f.from.from
	payload, err := s.Payload()
	if err != nil {
		return cli.Usage(err)
	}
	job := ensemble.Job{Name: "run " + m.Name(), Kind: models.Kind, Payload: payload, Replicas: f.replicas, Seed: f.seed, Keep: true,
		Points: []ensemble.Point{{Repeat: repeatCommand(s, nil, f.seed)}}}
	out, err := cli.OpenOutput(f.out, "run", runFiles...)
	if err != nil {
		return err
	}
	defer out.Drop()
	if err := out.Inputs(c, m.Files()); err != nil {
		return err
	}
	began := time.Now()
	result := &population.Result{Model: m, Version: population.Version(), Seed: f.seed, Replicas: f.replicas, Times: m.Times()}
	study := studyFlags{hubFlags: f.hub, replicas: f.replicas}
	_, err = study.do(c, job, ourRegistry(), "", ensemble.RunOptions{Replica: func(_, replica int, v ensemble.Values) error {
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
		return repeatHere(err, path, s, job)
	}
	result.Done = len(result.Runs)
	result.Seconds = time.Since(began).Seconds()
	return f.deliver(c, path, m, result, out)
}
