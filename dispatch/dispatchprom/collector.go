package dispatchprom

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/almanac-sim/almanac/dispatch"
)

// A collector reads the statistics of a source when Prometheus scrapes it.
type collector struct {
	source interface{ Stats() dispatch.Stats }

	items, submitted, refused, attempts, refusals, returned, moved, panics *prometheus.Desc
	waits, oldest, waiting, load, busy, capacity                           *prometheus.Desc
}

// NewCollector returns a collector of the statistics of a *dispatch.Dispatcher or a
// *dispatch.Caller, for a registry. All values of one scrape are of one moment.
//
//	dispatch_items_total{outcome}        items by outcome: served, failed, too_old, canceled, aborted
//	dispatch_submitted_items_total       items taken
//	dispatch_refused_items_total         items refused with ErrFull
//	dispatch_attempts_total              how often an item was offered to the workers
//	dispatch_refusals_total              how often no worker had a free slot
//	dispatch_returned_items_total        items returned to the pool by removed workers
//	dispatch_moved_items_total           items that an idle worker stole from a busy one
//	dispatch_panics_total                panics of workers
//	dispatch_wait_seconds                histogram of waits before service, at powers of two ns
//	dispatch_oldest_age_seconds          age of the oldest item that has not begun
//	dispatch_waiting_items{place}        items that have not begun: blocked, pool, accepted
//	dispatch_worker_load{worker}         items of a worker, including the one in service
//	dispatch_worker_busy_seconds{worker} how long the item has been in service
//	dispatch_capacity_items              how many items a worker may have, c
//
// The series of a removed worker end.
//
// The labels, which may be nil, are added to all metrics. Collectors of several sources in one
// registry must have the same label names with different values.
func NewCollector(source interface{ Stats() dispatch.Stats }, labels prometheus.Labels) prometheus.Collector {
	desc := func(name, help string, variable ...string) *prometheus.Desc {
		return prometheus.NewDesc("dispatch_"+name, help, variable, labels)
	}
	return &collector{
		source:    source,
		items:     desc("items_total", "Items by outcome.", "outcome"),
		submitted: desc("submitted_items_total", "Items taken."),
		refused:   desc("refused_items_total", "Items refused because the pool was full."),
		attempts:  desc("attempts_total", "How often an item was offered to the workers."),
		refusals:  desc("refusals_total", "How often no worker had a free slot."),
		returned:  desc("returned_items_total", "Items returned to the pool by removed workers."),
		moved:     desc("moved_items_total", "Items stolen from a busy worker by one that would have been idle."),
		panics:    desc("panics_total", "Panics of workers."),
		waits:     desc("wait_seconds", "How long items waited before they began."),
		oldest:    desc("oldest_age_seconds", "Age of the oldest item that has not begun."),
		waiting:   desc("waiting_items", "Items that have not begun, by place.", "place"),
		load:      desc("worker_load", "Items of a worker, including the one in service.", "worker"),
		busy:      desc("worker_busy_seconds", "How long the item of a worker has been in service.", "worker"),
		capacity:  desc("capacity_items", "How many items a worker may have."),
	}
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.items, c.submitted, c.refused, c.attempts, c.refusals, c.returned, c.moved,
		c.panics,
		c.waits, c.oldest, c.waiting, c.load, c.busy, c.capacity} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.source.Stats()
	m := metrics(ch)
	m.count(c.items, s.Served, "served")
	m.count(c.items, s.Failed, "failed")
	m.count(c.items, s.TooOld, "too_old")
	m.count(c.items, s.Canceled, "canceled")
	m.count(c.items, s.Aborted, "aborted")
	m.count(c.submitted, s.Submitted)
	m.count(c.refused, s.Full)
	m.count(c.attempts, s.Attempts)
	m.count(c.refusals, s.Refusals)
	m.count(c.returned, s.Returned)
	m.count(c.moved, s.Moved)
	m.count(c.panics, s.Panics)
	m.waits(c.waits, &s.Waits)
	m.gauge(c.oldest, s.Oldest.Seconds())
	m.gauge(c.waiting, float64(s.Blocked), "blocked")
	m.gauge(c.waiting, float64(s.Pool), "pool")
	m.gauge(c.waiting, float64(s.Accepted), "accepted")
	for _, w := range s.Workers {
		id := strconv.FormatUint(uint64(w.ID), 10)
		m.gauge(c.load, float64(w.Load), id)
		m.gauge(c.busy, w.Busy.Seconds(), id)
	}
	m.gauge(c.capacity, float64(s.Capacity))
}

// metrics receives the values of one scrape.
type metrics chan<- prometheus.Metric

func (m metrics) count(d *prometheus.Desc, n uint64, labels ...string) {
	m <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

func (m metrics) gauge(d *prometheus.Desc, v float64, labels ...string) {
	m <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// The buckets of the histogram end at the powers of two from 2¹⁰ ns, about a microsecond, to 2³⁶
// ns, about a minute.
const firstBucket, lastBucket = 10, 36

func (m metrics) waits(d *prometheus.Desc, h *dispatch.WaitHistogram) {
	buckets := make(map[float64]uint64, lastBucket-firstBucket+1)
	for k := firstBucket; k <= lastBucket; k++ {
		end := time.Duration(1) << k
		buckets[end.Seconds()] = h.Below(end)
	}
	m <- prometheus.MustNewConstHistogram(d, h.Count, h.Sum.Seconds(), buckets)
}
