package proxy

import "github.com/prometheus/client_golang/prometheus"

// A collector shows what is the proxy's own. Its transport and its limit have collectors of package cappedprom.
type collector struct{ s *Server }

var (
	answersDesc     = prometheus.NewDesc("almanac_proxy_answers_total", "Requests by the first digit of their status; broken for those that broke off.", []string{"class"}, nil)
	refusalsDesc    = prometheus.NewDesc("almanac_proxy_refusals_total", "Requests that the proxy answered itself, by why.", []string{"reason"}, nil)
	activeDesc      = prometheus.NewDesc("almanac_proxy_active_requests", "Requests that are here, those of slow clients too.", nil, nil)
	upgradedDesc    = prometheus.NewDesc("almanac_proxy_upgraded_connections", "Connections that speak something else than HTTP by now.", nil, nil)
	connectionsDesc = prometheus.NewDesc("almanac_proxy_connections", "Connections of clients.", nil, nil)
	bufferedDesc    = prometheus.NewDesc("almanac_proxy_buffered_bytes", "Bytes in buffers, without the first piece of each answer.", nil, nil)
	bufferLimitDesc = prometheus.NewDesc("almanac_proxy_buffer_limit_bytes", "How many there may be.", nil, nil)
	rereadsDesc     = prometheus.NewDesc("almanac_proxy_rereads_total", "How often the configuration was read again, by whether it was taken over.", []string{"outcome"}, nil)
	drainingDesc    = prometheus.NewDesc("almanac_proxy_draining", "1 when it was told to stop.", nil, nil)
)

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{answersDesc, refusalsDesc, activeDesc, upgradedDesc, connectionsDesc, bufferedDesc, bufferLimitDesc, rereadsDesc, drainingDesc} {
		ch <- d
	}
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.s.Stats()
	count := func(d *prometheus.Desc, n uint64, label string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), label)
	}
	gauge := func(d *prometheus.Desc, n int64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n))
	}
	for class, name := range []string{"broken", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		count(answersDesc, s.Answers[class], name)
	}
	count(refusalsDesc, s.Crowded, "crowded")
	count(refusalsDesc, s.Refused, "limit")
	count(refusalsDesc, s.Method, "method")
	count(refusalsDesc, s.Malformed, "malformed")
	count(refusalsDesc, s.Large, "large")
	count(refusalsDesc, s.Slow, "slow")
	count(refusalsDesc, s.Gone, "gone")
	count(rereadsDesc, s.Rereads, "taken")
	count(rereadsDesc, s.RereadsFailed, "wrong")
	gauge(activeDesc, s.Active)
	gauge(upgradedDesc, s.Upgraded)
	gauge(connectionsDesc, s.Connections)
	gauge(bufferedDesc, s.Buffered)
	gauge(bufferLimitDesc, s.BufferLimit)
	draining := int64(0)
	if s.Draining {
		draining = 1
	}
	gauge(drainingDesc, draining)
}
