package page_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/population"
)

var (
	benchModel    = flag.String("model", "sir.yaml", "the example that BenchmarkWatched runs")
	benchSize     = flag.Int("size", 1_000_000, "how many individuals it has")
	benchReplicas = flag.Int("replicas", 4, "how often it is run")
	benchUntil    = flag.String("until", "", "when it ends, if not when the file says")
)

// What watching costs a run: events a second of the engine without a page, on the page with nobody
// watching, with one viewer, and with fifty. Take the best of several, since they take turns: go
// test ./page -run '^$' -bench Watched -benchtime 1x -count 5.
func BenchmarkWatched(b *testing.B) {
	m := benchedModel(b)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			r, err := m.Run(context.Background(), population.Options{Seed: 1, Replicas: *benchReplicas})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(r.Events)/r.Seconds/1e6, "Mevents/s")
		}
	})
	for _, viewers := range []int{0, 1, 50} {
		b.Run(fmt.Sprintf("viewers=%d", viewers), func(b *testing.B) {
			c := serve(b, page.Config{})
			for b.Loop() {
				answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {*benchModel},
					"size": {strconv.Itoa(*benchSize)}, "replicas": {strconv.Itoa(*benchReplicas)}, "until": {*benchUntil}})
				run := answer.Header.Get("Location")
				var group sync.WaitGroup
				var sent, told int
				for v := range viewers {
					group.Go(func() {
						stream, err := http.Get(c.base + run + "/events")
						if err != nil {
							b.Error(err)
							return
						}
						defer stream.Body.Close()
						text, _ := io.ReadAll(stream.Body)
						if v == 0 {
							sent, told = len(text), strings.Count(string(text), "event: ")
						}
					})
				}
				group.Wait()
				c.done(run)
				_, summary := c.want(http.StatusOK, "GET", run+"/files/summary.json", nil)
				var events, took float64
				fmt.Sscanf(summary[strings.Index(summary, `"events":`):], `"events":%f,"seconds":%f`, &events, &took)
				b.ReportMetric(events/took/1e6, "Mevents/s")
				if told > 0 {
					b.ReportMetric(float64(sent)/float64(told), "B/event")
				}
			}
		})
	}
}

// benchedModel is the model that flags name.
func benchedModel(b *testing.B) *population.Model {
	b.Helper()
	source, err := examples.Files().ReadFile(*benchModel)
	if err != nil {
		b.Fatal(err)
	}
	changes := []population.Change{population.Size(*benchSize)}
	if *benchUntil != "" {
		changes = append(changes, population.Until(*benchUntil))
	}
	m, err := population.Compile(*benchModel, source, changes...)
	if err != nil {
		b.Fatal(err)
	}
	return m
}
