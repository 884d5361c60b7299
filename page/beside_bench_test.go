package page_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
)

var benchOthers = flag.Int("others", 0, "how many more runs of the model BenchmarkBeside has on the page at the "+
	"same time")

var benchRounds = flag.Int("rounds", 3, "how often BenchmarkBeside runs the model without the page and with it, "+
	"taking turns")

// What the page costs a large run, and whether it answers meanwhile. The model is run without the
// page and then on it, with a viewer of its events and a visitor who asks for the list of models
// and for a picture of the run by turns, ten times a second; so many rounds, of which the best of
// each is told, and the median of the ratios of neighbours, since a machine is not always as fast;
// and the 99th percentile of how long answers took, in milliseconds. A run before the first round
// is not counted: it is the one that touches memory that nobody has.
//
//	go test ./page -run '^$' -bench Beside -benchtime 1x -size 10000000 -replicas 2
func BenchmarkBeside(b *testing.B) {
	m := benchedModel(b)
	var plain, beside []float64
	var list, picture []time.Duration
	for b.Loop() {
		for round := -1; round < 2**benchRounds; round++ {
			debug.FreeOSMemory()
			if with := (round+1)/2%2 == 1; with { // without, with, with, without, …: neither is always the first
				speed, a, p := watchedRun(b)
				beside = append(beside, speed)
				list, picture = append(list, a...), append(picture, p...)
				b.Logf("%.3f million events a second with the page", speed)
				continue
			}
			r, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: *benchReplicas})
			if err != nil {
				b.Fatal(err)
			}
			speed := float64(r.Events) / r.Seconds / 1e6
			if round >= 0 {
				plain = append(plain, speed)
				b.Logf("%.3f without it", speed)
			}
		}
	}
	n := len(plain)
	ratios := make([]float64, n)
	for i := range ratios {
		ratios[i] = beside[i] / plain[i]
	}
	slices.Sort(ratios)
	b.ReportMetric(slices.Max(plain), "Mevents/s-without")
	b.ReportMetric(slices.Max(beside), "Mevents/s-with")
	b.ReportMetric(50*(ratios[(n-1)/2]+ratios[n/2]), "%-by-turns")
	b.ReportMetric(percentile(list), "ms-list-p99")
	b.ReportMetric(percentile(picture), "ms-picture-p99")
	b.ReportMetric(float64(len(list)+len(picture)), "answers")
}

// percentile is the 99th of some times, in milliseconds.
func percentile(all []time.Duration) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return float64(all[(len(all)*99+99)/100-1]) / 1e6
}

// watchedRun runs the model on a page, watched and visited, and tells its speed in million events a
// second and how long answers took.
func watchedRun(b *testing.B) (speed float64, list, picture []time.Duration) {
	c := serve(b, page.Config{})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {*benchModel},
		"size": {strconv.Itoa(*benchSize)}, "replicas": {strconv.Itoa(*benchReplicas)}, "until": {*benchUntil}})
	run := answer.Header.Get("Location")
	for i := range *benchOthers {
		c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {*benchModel}, "seed": {strconv.Itoa(i + 2)},
			"size": {strconv.Itoa(*benchSize)}, "replicas": {strconv.Itoa(*benchReplicas)}, "until": {*benchUntil}})
	}
	var group sync.WaitGroup
	over := make(chan struct{})
	group.Go(func() {
		defer close(over)
		if w := watch(c.base+run+"/events", func() {}); w.err != nil || !w.ended {
			b.Errorf("%+v", w)
		}
	})
	get := func(path string) time.Duration {
		began := time.Now()
		answer, err := http.Get(c.base + path)
		if err != nil {
			b.Error(err)
			return 0
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || len(text) < 500 || answer.StatusCode != http.StatusOK {
			b.Errorf("%s: %s %v", path, answer.Status, err)
		}
		return time.Since(began)
	}
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
			}
			list = append(list, get("/"))
			// each of another width, so that it is drawn
			picture = append(picture, get(run+"/figures/states.svg?w="+strconv.Itoa(400+i%300)))
		}
	})
	group.Wait()
	c.done(run)
	_, summary := c.want(http.StatusOK, "GET", run+"/files/summary.json", nil)
	var events, took float64
	fmt.Sscanf(summary[strings.Index(summary, `"events":`):], `"events":%f,"seconds":%f`, &events, &took)
	return events / took / 1e6, list, picture
}
