package page

import (
	"context"
	"sync"
	"time"
)

// Work that a test looks at while it goes on has to outlast the test on the slowest machine. Rounds
// take their time for as long as a test may: 20,000 of them at 20 a second go on for longer than a
// tab is open, and end when they are stopped. Runs of a model are held at their rows.
func init() {
	paceLimit = 2 * time.Hour
	onRow = func(ctx context.Context, model string) {
		if g, ok := gates.Load(model); ok {
			select {
			case <-g.(Gate):
			case <-ctx.Done():
			}
		}
	}
}

// RenderWithoutPause lets charts of runs that go on be rendered at once.
func (s *Server) RenderWithoutPause() { s.renderer.share = 0 }

var gates sync.Map // by the names of models

// A Gate holds all runs of a model at each row that a replica records, until it is let through, or
// the run is stopped.
type Gate chan struct{}

// Hold holds the runs of a model, which no other test may run.
func Hold(model string) Gate {
	g := make(Gate)
	gates.Store(model, g)
	return g
}

// Let lets so many rows through, of whichever replicas, and returns when they are.
func (g Gate) Let(rows int) {
	for range rows {
		g <- struct{}{}
	}
}

// Open lets all rows through that come from now on.
func (g Gate) Open() { close(g) }
