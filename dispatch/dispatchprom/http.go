package dispatchprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
)

// An HTTPSource is what can be shown of package dispatchhttp: a *dispatchhttp.Transport or a *dispatchhttp.Limiter.
type HTTPSource interface{ Stats() dispatchhttp.Stats }

// An HTTPCollector reads an HTTPSource whenever Prometheus asks. All numbers of one answer are of one moment.
//
//	capped_http_requests_total                    requests that came
//	capped_http_outcomes_total{outcome}           and what became of them: answered, broken, failed, cancelled, full, too_old, closed
//	capped_http_retries_total                     tries beyond the first
//	capped_http_waiting_requests                  requests that wait for a slot
//	capped_http_inflight_requests                 requests that have one
//	capped_http_wait_seconds                      histogram of how long tries waited for a slot, at powers of two of a nanosecond
//	capped_http_oldest_age_seconds                age of the oldest request that waits
//	capped_http_service_seconds                   how long a slot was held of late
//	capped_http_capacity_requests                 how many a backend, or the limiter, may have at once, c
//	capped_http_backend_inflight_requests{backend} requests at a backend
//	capped_http_backend_answers_total{backend}    answers that came to their end
//	capped_http_backend_failures_total{backend}   tries that did not
//	capped_http_backend_resting_seconds{backend}  for how much longer it is left alone
//
// The last four are of a Transport. A backend that is removed leaves its label behind only in what Prometheus has stored.
type HTTPCollector struct {
	source HTTPSource

	requests, outcomes, retries, waiting, inFlight, waits, oldest, service, capacity *prometheus.Desc
	backendInFlight, backendAnswers, backendFailures, backendResting                 *prometheus.Desc
}

// NewHTTPCollector returns a collector to be registered. Labels are for all of its metrics, and may be nil. Collectors of several sources in one registry must
// have labels of the same names with other values.
func NewHTTPCollector(source HTTPSource, labels prometheus.Labels) *HTTPCollector {
	desc := func(name, help string, variable ...string) *prometheus.Desc {
		return prometheus.NewDesc("capped_http_"+name, help, variable, labels)
	}
	return &HTTPCollector{
		source:          source,
		requests:        desc("requests_total", "Requests that came."),
		outcomes:        desc("outcomes_total", "Requests by what became of them.", "outcome"),
		retries:         desc("retries_total", "Tries beyond the first."),
		waiting:         desc("waiting_requests", "Requests that wait for a slot."),
		inFlight:        desc("inflight_requests", "Requests that have a slot."),
		waits:           desc("wait_seconds", "How long tries waited for a slot."),
		oldest:          desc("oldest_age_seconds", "Age of the oldest request that waits."),
		service:         desc("service_seconds", "How long a slot was held of late, on average."),
		capacity:        desc("capacity_requests", "How many requests a backend, or the limiter, may have at once."),
		backendInFlight: desc("backend_inflight_requests", "Requests at a backend.", "backend"),
		backendAnswers:  desc("backend_answers_total", "Answers of a backend that came to their end.", "backend"),
		backendFailures: desc("backend_failures_total", "Tries at a backend that did not.", "backend"),
		backendResting:  desc("backend_resting_seconds", "For how much longer a backend is left alone.", "backend"),
	}
}

// Describe is for the registry.
func (c *HTTPCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.requests, c.outcomes, c.retries, c.waiting, c.inFlight, c.waits, c.oldest,
		c.service, c.capacity,
		c.backendInFlight, c.backendAnswers, c.backendFailures, c.backendResting} {
		ch <- d
	}
}

// Collect is for the registry.
func (c *HTTPCollector) Collect(ch chan<- prometheus.Metric) {
	s := c.source.Stats()
	m := metrics(ch)
	m.count(c.requests, s.Requests)
	m.count(c.outcomes, s.Completed, "answered")
	m.count(c.outcomes, s.Broken, "broken")
	m.count(c.outcomes, s.Failed, "failed")
	m.count(c.outcomes, s.Canceled, "cancelled")
	m.count(c.outcomes, s.Full, "full")
	m.count(c.outcomes, s.TooOld, "too_old")
	m.count(c.outcomes, s.Closed, "closed")
	m.count(c.retries, s.Retries)
	m.gauge(c.waiting, float64(s.Waiting))
	m.gauge(c.inFlight, float64(s.InFlight))
	m.waits(c.waits, &s.Waits)
	m.gauge(c.oldest, s.Oldest.Seconds())
	m.gauge(c.service, s.Service.Seconds())
	m.gauge(c.capacity, float64(s.Capacity))
	for _, b := range s.Backends {
		m.gauge(c.backendInFlight, float64(b.InFlight), b.URL)
		m.count(c.backendAnswers, b.Completed, b.URL)
		m.count(c.backendFailures, b.Failed, b.URL)
		m.gauge(c.backendResting, b.Ejected.Seconds(), b.URL)
	}
}
