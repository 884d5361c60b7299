package dispatch

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// A Service is how much work requests are. All have a mean of 1.
type Service struct {
	Name, About string

	draw     func(*random.Stream) float64
	variance float64
	slow     bool // a tenth of the workers is ten times slower
}

// Of requests with two sizes, one in ten is ten times as long as the others.
const (
	longShare = 0.1
	longTimes = 10
	shortWork = 1 / (1 - longShare + longShare*longTimes)
)

// Of workers that are not alike, the first tenth is that much slower.
const (
	slowShare = 0.1
	slowSpeed = 0.1
)

// Services lists them.
func Services() []Service {
	exponential := func(s *random.Stream) float64 { return s.Exp() }
	return []Service{
		{Name: "exponential", About: "exponential with mean 1", draw: exponential, variance: 1},
		{Name: "constant", About: "1 each", draw: func(*random.Stream) float64 { return 1 }},
		{
			Name: "bimodal", About: "0.526 for nine in ten requests, ten times that for the others: mean 1",
			draw: func(s *random.Stream) float64 {
				if s.Float64() < longShare {
					return longTimes * shortWork
				}
				return shortWork
			},
			variance: shortWork*shortWork*(1-longShare+longShare*longTimes*longTimes) - 1,
		},
		{
			Name: "slow-workers", About: "exponential; a tenth of the workers takes ten times as long, and all " +
				"together do 0.91 of what equal ones could",
			draw: exponential, variance: 1, slow: true,
		},
	}
}

// A load is requests, drawn before anybody sees them: all policies get the same.
type load struct {
	Setting
	service Service
	comes   []float64
	work    []float64
	warmUp  int // so many that come first do not count
}

// Streams of random numbers.
const (
	streamGaps = iota
	streamWork
	streamChoices
	streamSaturated
)

// mostRequests is how many a run may have, all of which are in memory, with at most 44 bytes each,
// for every run that is under way.
const mostRequests = 200_000_000

// newLoad is a load whose requests have not been drawn, or what is wrong with a setting.
func newLoad(s Setting) (*load, error) {
	switch {
	case s.Workers < 1 || s.Requests < 1:
		return nil, fmt.Errorf("dispatch: %d workers and %d requests; there must be some of both", s.Workers, s.Requests)
	case !(s.Load > 0 && s.Load < 1):
		return nil, fmt.Errorf("dispatch: a load of %v; it is above 0 and below 1", s.Load)
	case !(s.Round > 0 && s.Round <= 1e6):
		return nil, fmt.Errorf("dispatch: rounds of %v services; they are above 0 and at most 1e6", s.Round)
	}
	l := &load{Setting: s, service: serviceOf(s.Service)}
	if l.service.draw == nil {
		return nil, fmt.Errorf("dispatch: there is no service %q", s.Service)
	}
	first := math.Ceil(s.Load * l.capacity() * l.settles())
	if all := first + float64(s.Requests); all > mostRequests {
		return nil, fmt.Errorf("dispatch: a run of %.3g requests, of which the first %.3g do not count; %.3g are the "+
			"most: take fewer workers, or a smaller load",
			all, first, float64(mostRequests))
	}
	l.warmUp = int(first)
	return l, nil
}

func draw(s Setting) (*load, error) {
	l, err := newLoad(s)
	if err != nil {
		return nil, err
	}
	rate, n := s.Load*l.capacity(), l.warmUp+s.Requests
	l.comes, l.work = make([]float64, n), make([]float64, n)
	gaps, work := random.New(s.Seed, streamGaps), random.New(s.Seed, streamWork)
	at := 0.0
	for i := range n {
		at += gaps.Exp() / rate
		l.comes[i], l.work[i] = at, l.service.draw(&work)
	}
	return l, nil
}

// serviceOf is the service of a name, or none.
func serviceOf(name string) Service {
	for _, s := range Services() {
		if s.Name == name {
			return s
		}
	}
	return Service{}
}

// speeds are how much each worker does in a unit of time.
func (l *load) speeds() []float64 {
	speeds := make([]float64, l.Workers)
	for w := range speeds {
		speeds[w] = 1
		if l.service.slow && w < l.slow() {
			speeds[w] = slowSpeed
		}
	}
	return speeds
}

// slow is how many workers are.
func (l *load) slow() int { return max(1, int(math.Round(slowShare*float64(l.Workers)))) }

// capacity is what all workers together do in a unit of time.
func (l *load) capacity() (sum float64) {
	for _, speed := range l.speeds() {
		sum += speed
	}
	return sum
}

// settles is how long the beginning is that does not count. One worker with a queue of its own and
// random arrivals is what takes longest here to forget that it began empty: its relaxation time is
// 1/(1−√λ)² services if they are exponential, and in heavy traffic it grows with (1+variance)/2.
// Five of them are left out, of all policies alike.
func (l *load) settles() float64 {
	root := 1 - math.Sqrt(l.Load)
	return 5 * max(1, (1+l.service.variance)/2) / (root * root)
}
