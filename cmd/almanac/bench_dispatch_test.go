package main

import (
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/dispatch/live"
)

// Targets are judged by ratios, only for proxies that were measured; where more than one in a hundred was not answered, it is missed, whatever the other did.
func TestJudgeHTTP(t *testing.T) {
	endless := math.MaxFloat64
	scene := live.Scenes()[1]
	for want, r := range map[string]*live.Report{
		"":              {Latencies: []live.Latency{{Scene: scene, Proxy: live.CappedOne, P99: 1}}},
		"0.6 met":       {Throughputs: []live.Throughput{{Proxy: live.Ours, PerCore: 6}, {Proxy: live.Leastconn, PerCore: 10}}},
		"0.4 MISSED":    {Throughputs: []live.Throughput{{Proxy: live.Ours, PerCore: 4}, {Proxy: live.Leastconn, PerCore: 10}}},
		"0.5 met":       {Latencies: []live.Latency{{Scene: scene, Proxy: live.CappedOne, P99: 1}, {Scene: scene, Proxy: live.Leastconn, P99: 2}}},
		"2 MISSED":      {Latencies: []live.Latency{{Scene: scene, Proxy: live.CappedTwo, P99: 4}, {Scene: scene, Proxy: live.Leastconn, P99: 2}}},
		"∞ MISSED":      {Latencies: []live.Latency{{Scene: scene, Proxy: live.CappedTwo, P99: endless}, {Scene: scene, Proxy: live.Leastconn, P99: endless}}},
		"5.56e-309 met": {Latencies: []live.Latency{{Scene: scene, Proxy: live.CappedTwo, P99: 1}, {Scene: scene, Proxy: live.Leastconn, P99: endless}}},
	} {
		var report dispatchReport
		for _, target := range judgeHTTP(r) {
			report.target(target)
		}
		var b strings.Builder
		if err := printTargets(&b, report.Targets); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.HasSuffix(text, want) || (want == "") != (text == "") {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
