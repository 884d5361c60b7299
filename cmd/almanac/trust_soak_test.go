//go:build soak

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/random"
)

// soakFits are fits that take some seconds: by whole runs and particles, by chains, and by
// annealing.
var soakFits = [][]string{
	{"--method", "abc", "--population", "300", "--budget", "60000"},
	{"--method", "pmmh", "--population", "150", "--budget", "60000"},
	{"--method", "anneal", "--budget", "4000"},
}

// finished waits for a command for so long at most, and reports whether it came to its end.
func finished(t *testing.T, c *exec.Cmd, said *said, most time.Duration) bool {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
		return true
	case <-time.After(most):
		if c.Process.Kill() != nil {
			return <-done == nil // it ended at this very moment
		}
		return <-done == nil
	}
}

// Fits that are killed at random moments, 30 times at least, give what they give if they are not.
// The moments are from the first one on, in which nothing is stored yet, to such that a fit gets a
// third of the way.
func TestSoakFitKilled(t *testing.T) {
	dir, model := smallDir(t)
	luck := random.New(uint64(time.Now().UnixNano()))
	for _, flags := range soakFits {
		// With further seeds, if a fit comes to its end sooner.
		for kills, seed := 0, 1; kills < 10; seed++ {
			name := func(s string) string { return fmt.Sprint(s, "-", flags[1], "-", seed) }
			args := func(out string) []string {
				return append(append([]string{"fit", model, "--seed", fmt.Sprint(seed)}, flags...), "--workers", "2", "--out",
					filepath.Join(dir, name(out)))
			}
			began := time.Now()
			c, said := command(t, args("whole")...)
			if !finished(t, c, said, time.Hour) {
				t.Fatal(said.String())
			}
			long := time.Since(began)
			for {
				most := time.Hour
				if kills < 10 {
					most = time.Duration(luck.Float64() * float64(long) / 3)
				}
				c, said := command(t, args("cut")...)
				if finished(t, c, said, most) {
					break
				}
				kills++
			}
			sameEnd(t, dir, name("cut"), name("whole"), flags[1])
			t.Logf("%s, seed %d: %d kills so far", flags[1], seed, kills)
		}
	}
}

// sameEnd compares the files of two fits, of which annealing has no sample.
func sameEnd(t *testing.T, dir, got, want, method string) {
	t.Helper()
	files := fitResults
	if method == "anneal" {
		files = files[1:]
	}
	sameFiles(t, dir, got, want, files)
}

// Fits on a hub of which workers, coordinators and the hub itself are killed at random moments, 24
// times at least, give what they give in one process.
func TestSoakFitKilledOnHub(t *testing.T) {
	dir, model := smallDir(t)
	luck := random.New(uint64(time.Now().UnixNano()))
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://127.0.0.1:" + port
	startHub := func() *exec.Cmd {
		hub, _ := command(t, "hub", "--store", filepath.Join(dir, "hub"), "--listen", "127.0.0.1:"+port)
		if err := reach("127.0.0.1:" + port); err != nil {
			t.Fatal(err)
		}
		return hub
	}
	startWorker := func() *exec.Cmd {
		w, _ := command(t, "worker", "--hub", url, "--slots", "1")
		return w
	}
	kill := func(c *exec.Cmd) {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	hub, workers := startHub(), []*exec.Cmd{startWorker(), startWorker()}
	killed, gaveUp := map[string]int{}, 0
	for _, flags := range soakFits {
		for kills, seed := 0, 1; kills < 8; seed++ {
			name := func(s string) string { return fmt.Sprint(s, "-", flags[1], "-", seed) }
			args := func(out string, more ...string) []string {
				return append(append(append([]string{"fit", model, "--seed", fmt.Sprint(seed)}, flags...), "--out",
					filepath.Join(dir, name(out))), more...)
			}
			began := time.Now()
			c, said := command(t, args("here")...)
			if !finished(t, c, said, time.Hour) {
				t.Fatal(said.String())
			}
			long := time.Since(began)
			var ended chan error
			start := func() {
				c, said = command(t, args("far", "--hub", url)...)
				ended = make(chan error, 1)
				go func(c *exec.Cmd, ended chan error) { ended <- c.Wait() }(c, ended)
			}
			start()
			for done := false; !done; {
				wait := time.Hour
				if kills < 8 {
					wait = time.Duration(luck.Float64() * float64(long) / 4)
				}
				select {
				case err := <-ended:
					if done = err == nil; !done { // it may give up when the hub is gone
						t.Logf("it gave up: %s", said.String())
						if gaveUp++; gaveUp > 10 {
							t.Fatal(err)
						}
						start()
					}
					continue
				case <-time.After(wait):
				}
				kills++
				switch w := luck.Below(4); w {
				case 0, 1:
					killed["workers"]++
					kill(workers[w])
					workers[w] = startWorker()
				case 2:
					killed["hubs"]++
					kill(hub)
					hub = startHub()
				case 3:
					killed["coordinators"]++
					_ = c.Process.Kill()
					<-ended
					start()
				}
			}
			sameEnd(t, dir, name("far"), name("here"), flags[1])
		}
	}
	t.Logf("killed: %v; coordinators that gave up and were started again: %d", killed, gaveUp)
}

// The files of a fit are the same, byte for byte, for 1, 2 and 7 workers; and so is what is printed
// where nothing is stored, here by chains. In make test, the script fit compares 1 and 3 workers.
func TestFitForAnyNumberOfWorkers(t *testing.T) {
	dir, model := smallDir(t)
	fit := func(args ...string) string {
		var out, errs bytes.Buffer
		if status := run(t.Context(), append([]string{"fit", model}, args...), &out, &errs); status != cli.ExitDone {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		return out.String()
	}
	for _, workers := range []string{"1", "2", "7"} {
		fit("--budget", "1000", "--workers", workers, "--out", filepath.Join(dir, workers))
		sameFiles(t, dir, workers, "1", fitResults)
	}
	if chains := []string{"--method", "pmmh", "--population", "1", "--budget", "20000", "--json", "--workers"}; fit(
		append(chains, "1")...) != fit(append(chains, "7")...) {
		t.Error("chains by 7 workers are others")
	}
}
