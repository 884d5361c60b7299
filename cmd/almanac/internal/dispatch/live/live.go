// Package live compares reverse proxies on this machine: the same requests at the same times, from one generator, through each of them to the same
// backends, all of them processes of their own.
//
// What a proxy does to latency is measured in an open loop: requests are sent when they are due, whether or not earlier ones have been answered,
// and timed from when they were due, so that a proxy that is slow is not sent less. What it costs is measured in a closed loop of small requests,
// as requests per second of processor time of its process. Proxies take turns.
package live

import (
	"math"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/internal/order"
)

// A Scene is backends and a load.
type Scene struct {
	Name string  `json:"name"`
	Slow int     `json:"slow"` // how many of the backends take ten times as long
	Load float64 `json:"load"` // of what the backends together can do
}

// Scenes are those that are measured.
func Scenes() []Scene {
	return []Scene{
		{Name: "all alike", Load: 0.75},
		{Name: "one ten times slower", Slow: 1, Load: 0.75},
		{Name: "one ten times slower", Slow: 1, Load: 0.9},
	}
}

// slowTimes is how much longer a slow backend takes.
const slowTimes = 10

// A Plan is how much is measured.
type Plan struct {
	Backends    int
	Service     time.Duration // mean of the work of a request, which is exponential
	Turn        time.Duration // how long requests come in a turn
	Turns       int
	Connections int // of the closed loop
	Seed        uint64
	Proxies     []Proxy
	Program     string // the almanac command, which is also backend and proxy
	Progress    func(done, of int, what string)
}

// A Latency is what became of a proxy in a scene. Times are medians over turns, of quantiles of each turn: what disturbs one turn, on a machine that
// does other things too, does not count.
type Latency struct {
	Scene    Scene   `json:"scene"`
	Proxy    string  `json:"proxy"`
	Requests int     `json:"requests"`
	Failed   int     `json:"failed"` // not answered with 200; they count as endless
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	P999     float64 `json:"p99.9_ms"`
	Lag      float64 `json:"lag_p99_ms"`
	Memory   int64   `json:"memory_bytes"` // resident at most
	Turns    []Turn  `json:"turns"`
}

// A Turn is what a proxy made of the requests of one.
type Turn struct {
	P50  float64 `json:"p50_ms"`
	P99  float64 `json:"p99_ms"`
	P999 float64 `json:"p99.9_ms"`
	// Lag is how late the generator sent requests, the p99. That is part of all times.
	Lag float64 `json:"lag_p99_ms"`
	// Again is how often it was done again, since the generator was later than half of a mean service: then the machine was busy with something else.
	Again int `json:"again"`
}

// mostAgain is how often a turn is done again at most. The last one counts, however late.
const mostAgain = 2

// A Throughput is what small requests cost a proxy.
type Throughput struct {
	Proxy     string    `json:"proxy"`
	Requests  int       `json:"requests"`
	Seconds   float64   `json:"seconds"`
	Processor float64   `json:"processor_seconds"`    // of the proxy's process
	PerSecond float64   `json:"per_second"`           // with what the generator and the backends left of the machine
	PerCore   float64   `json:"per_processor_second"` // the median of the turns
	Turns     []float64 `json:"turns_per_processor_second"`
	Memory    int64     `json:"memory_bytes"` // resident at most
}

// A Report is everything.
type Report struct {
	Backends    int           `json:"backends"`
	Service     time.Duration `json:"service_ns"`
	Turn        time.Duration `json:"turn_ns"`
	Turns       int           `json:"turns"`
	Connections int           `json:"connections"`
	Versions    []string      `json:"versions"`
	Missing     []string      `json:"missing,omitempty"` // which proxies were left out, and why
	Latencies   []Latency     `json:"latencies"`
	Throughputs []Throughput  `json:"throughputs"`
}

// median is the middle value, or the mean of the two in the middle, which is endless if one of them is.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	if n := len(values); n%2 == 0 && values[n/2] < endless {
		return values[n/2-1]/2 + values[n/2]/2
	}
	return values[len(values)/2]
}

// endless is the time of a request that was not answered, in milliseconds: larger than any, and a number that JSON has.
const endless = math.MaxFloat64

// quantile sorts the values. Of none it is 0.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return order.Quantile(values, share)
}
