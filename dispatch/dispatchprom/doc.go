// Package dispatchprom exports the statistics of packages dispatch and dispatchhttp to Prometheus.
// It is a package of its own, so that programs without Prometheus do not depend on it.
//
//	registry.MustRegister(dispatchprom.NewCollector(d, prometheus.Labels{"dispatcher": "thumbnails"}))
//
// # Files
//
//   - collector.go: Collector, for a Dispatcher or a Caller
//   - http.go: HTTPCollector, for a Transport or a Limiter of package dispatchhttp
package dispatchprom
