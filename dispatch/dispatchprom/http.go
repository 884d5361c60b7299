package dispatchprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
)

// An httpCollector reads the statistics of a source when Prometheus scrapes it.
type httpCollector struct {
	source interface{ Stats() dispatchhttp.Stats }
	label  func(backend string) string

	requests, outcomes, retries, waiting, inFlight, waits, oldest, service, capacity *prometheus.Desc
	backendInFlight, backendResponses, backendFailures, backendEjected, ejected      *prometheus.Desc
}

// NewHTTPCollector returns a collector of the statistics of a *dispatchhttp.Transport or a
// *dispatchhttp.Limiter, for a registry. All values of one scrape are of one moment.
//
//	dispatch_http_requests_total                     requests
//	dispatch_http_outcomes_total{outcome}            requests by outcome: completed, broken, failed,
//	                                                 canceled, full, too_old, closed
//	dispatch_http_retries_total                      attempts beyond the first
//	dispatch_http_waiting_requests                   requests that wait for a slot
//	dispatch_http_inflight_requests                  requests that hold a slot
//	dispatch_http_wait_seconds                       histogram of waits for a slot, at powers of 2 ns
//	dispatch_http_oldest_age_seconds                 age of the oldest waiting request
//	dispatch_http_service_seconds                    moving average of how long a slot is held
//	dispatch_http_capacity_requests                  most requests at a backend, or of the limiter: c
//	dispatch_http_backend_inflight_requests{backend} requests at a backend
//	dispatch_http_backend_responses_total{backend}   responses that ended
//	dispatch_http_backend_failures_total{backend}    failed attempts
//	dispatch_http_backend_ejected_seconds{backend}   for how much longer it is ejected
//	dispatch_http_ejected_backends                   how many backends are ejected
//
// The last five are of a Transport. The series of a removed backend end.
//
// The labels, which may be nil, are added to all metrics. Collectors of several sources in one
// registry must have the same label names with different values.
func NewHTTPCollector(source interface{ Stats() dispatchhttp.Stats }, labels prometheus.Labels) prometheus.Collector {
	return NewProxyCollector(source, labels, Naming{"dispatch_http_", "backend", func(url string) string { return url }})
}

// A Naming is how metrics are named in a program with names of its own, such as a proxy.
type Naming struct {
	Prefix  string                  // instead of dispatch_http_
	Backend string                  // the word for a backend, in names and as a label
	Label   func(url string) string // the value of that label
}

// NewProxyCollector is [NewHTTPCollector] with other names.
func NewProxyCollector(
	source interface{ Stats() dispatchhttp.Stats }, labels prometheus.Labels, names Naming,
) prometheus.Collector {
	desc := func(name, help string, variable ...string) *prometheus.Desc {
		return prometheus.NewDesc(names.Prefix+name, help, variable, labels)
	}
	one := names.Backend
	return &httpCollector{
		source:           source,
		label:            names.Label,
		requests:         desc("requests_total", "Requests."),
		outcomes:         desc("outcomes_total", "Requests by outcome.", "outcome"),
		retries:          desc("retries_total", "Attempts beyond the first."),
		waiting:          desc("waiting_requests", "Requests that wait for a slot."),
		inFlight:         desc("inflight_requests", "Requests that hold a slot."),
		waits:            desc("wait_seconds", "How long attempts waited for a slot."),
		oldest:           desc("oldest_age_seconds", "Age of the oldest waiting request."),
		service:          desc("service_seconds", "Moving average of how long a slot is held."),
		capacity:         desc("capacity_requests", "How many requests a backend, or the limiter, may have at once."),
		backendInFlight:  desc(one+"_inflight_requests", "Requests at a backend.", one),
		backendResponses: desc(one+"_responses_total", "Responses of a backend that ended.", one),
		backendFailures:  desc(one+"_failures_total", "Failed attempts at a backend.", one),
		backendEjected:   desc(one+"_ejected_seconds", "For how much longer a backend is ejected.", one),
		ejected:          desc("ejected_"+one+"s", "How many backends are ejected."),
	}
}

// Describe implements [prometheus.Collector].
func (c *httpCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.requests, c.outcomes, c.retries, c.waiting, c.inFlight, c.waits, c.oldest,
		c.service, c.capacity,
		c.backendInFlight, c.backendResponses, c.backendFailures, c.backendEjected, c.ejected} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *httpCollector) Collect(ch chan<- prometheus.Metric) {
	s := c.source.Stats()
	m := metrics(ch)
	m.count(c.requests, s.Requests)
	m.count(c.outcomes, s.Completed, "completed")
	m.count(c.outcomes, s.Broken, "broken")
	m.count(c.outcomes, s.Failed, "failed")
	m.count(c.outcomes, s.Canceled, "canceled")
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
	ejected := 0
	for _, b := range s.Backends {
		name := c.label(b.URL)
		m.gauge(c.backendInFlight, float64(b.InFlight), name)
		m.count(c.backendResponses, b.Completed, name)
		m.count(c.backendFailures, b.Failed, name)
		m.gauge(c.backendEjected, b.Ejected.Seconds(), name)
		if b.Ejected > 0 && !b.Removed {
			ejected++
		}
	}
	if len(s.Backends) > 0 {
		m.gauge(c.ejected, float64(ejected))
	}
}
