//go:build linux || darwin

package ensemble

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// How many tasks a second go through a hub, with its store on a disk and in memory: tasks of
// nothing, so that all that is measured is handing out, storing and merging. With one slot, it is
// what a task costs the worker that waits for all of it.
func BenchmarkTasks(b *testing.B) {
	for _, where := range []string{"disk", "memory"} {
		for _, slots := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/slots=%d", where, slots), func(b *testing.B) {
				dir := b.TempDir()
				if where == "memory" {
					dir = quickDir(b)
				}
				c := connect(b, testHub(b, HubOptions{Listen: "none", Store: filepath.Join(dir, "hub")}), 0)
				_, stop := work(b, c, WorkerOptions{Slots: slots})
				defer stop()
				b.ResetTimer()
				job := walks(1, b.N)
				_, outcome, err := run(b, c, job, RunOptions{TaskTime: time.Nanosecond, Window: 4 * slots})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(outcome.Counts.Tasks)/b.Elapsed().Seconds(), "tasks/s")
			})
		}
	}
}

// The engine against a plain loop, in turns: the same replicas, of half a millisecond of
// calculation each, in tasks of half a second, with one slot. The ratio of the least processor
// times is reported, since that of the clock depends on what else the machine does. What the engine
// waits for the disk is not in it; BenchmarkTasks has that.
func BenchmarkOverhead(b *testing.B) {
	g := new(Registry)
	g.AddKind(FuncKind("busy", "1", func(_ context.Context, _ Params, r Replica) (Outputs, error) {
		random, x := r.Rand(), 0.0
		for range 100_000 {
			x += random.Float64()
		}
		return Outputs{"x": x}, nil
	}))
	job := Job{Kind: "busy", Points: []Point{{}}, Replicas: 5000}
	best := [2]time.Duration{1 << 62, 1 << 62}
	for b.Loop() {
		job.Seed++
		begun := processorTime(b)
		plain(b, g, job)
		best[0] = min(best[0], processorTime(b)-begun)
		c := connect(b, testHub(b, HubOptions{Listen: "none", Store: filepath.Join(b.TempDir(), "hub")}), 0)
		_, stop := work(b, c, WorkerOptions{Slots: 1, Registry: g})
		begun = processorTime(b)
		_, _, err := run(b, c, job, RunOptions{Registry: g, TaskTime: 500 * time.Millisecond})
		best[1] = min(best[1], processorTime(b)-begun)
		if stop(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(best[1])/float64(best[0]), "ratio")
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
