// Package dispatchprom exports the statistics of packages dispatch and dispatchhttp to Prometheus.
//
//	labels := prometheus.Labels{"service": "thumbnails"}
//	registry.MustRegister(dispatchprom.NewCollector(dispatcher, labels))
//	registry.MustRegister(dispatchprom.NewHTTPCollector(transport, labels))
//
// [NewCollector] and [NewHTTPCollector] list their metrics. A collection reads one consistent
// snapshot of the statistics, and may run at any time, from any goroutine. Two collectors of one
// type in one registry need different labels.
//
// It is a package of its own, so that programs without Prometheus do not depend on it.
//
// # Files
//
//   - collector.go: NewCollector, for a Dispatcher or a Caller
//   - http.go: NewHTTPCollector, for a Transport or a Limiter of package dispatchhttp
package dispatchprom
