// Package dispatchprom shows a dispatch.Dispatcher or dispatch.Caller to Prometheus. It is a package of its own, so that programs that do not use
// Prometheus do not get it with package dispatch.
package dispatchprom

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/almanac-sim/almanac/dispatch"
)

// A Source is what can be shown: a *dispatch.Dispatcher or a *dispatch.Caller.
type Source interface{ Stats() dispatch.Stats }

// A Collector reads a Source whenever Prometheus asks. All numbers of one answer are of one moment.
//
//	capped_items_total{outcome}        items by what became of them: served, failed, too_old, cancelled, aborted
//	capped_submitted_items_total       items taken
//	capped_refused_items_total         items turned away with ErrFull
//	capped_tries_total                 how often an item was offered to workers; by items, the tries per item
//	capped_refusals_total              how often no worker had a slot
//	capped_returned_items_total        items given back by workers that were removed
//	capped_moved_items_total           items taken from a busy worker by one that would have been idle
//	capped_panics_total                panics of workers
//	capped_wait_seconds                histogram of how long items waited before they began, at powers of two of a nanosecond
//	capped_oldest_age_seconds          age of the oldest item that has not begun
//	capped_waiting_items{place}        items that have not begun: outside, pool, accepted
//	capped_worker_load{worker}         items that a worker has, the one that it works on counted
//	capped_worker_busy_seconds{worker} for how long it has worked on that one
//	capped_buffer_items                how many a worker may have, c
//
// A worker that is removed leaves its label behind only in what Prometheus has stored.
type Collector struct {
	source Source

	items, submitted, refused, tries, refusals, returned, moved, panics *prometheus.Desc
	waits, oldest, waiting, load, busy, buffer                          *prometheus.Desc
}

// NewCollector returns a collector to be registered. Labels are for all of its metrics, and may be nil. Collectors of several Sources in one
// registry must have labels of the same names with other values.
func NewCollector(source Source, labels prometheus.Labels) *Collector {
	desc := func(name, help string, variable ...string) *prometheus.Desc {
		return prometheus.NewDesc("capped_"+name, help, variable, labels)
	}
	return &Collector{
		source:    source,
		items:     desc("items_total", "Items by what became of them.", "outcome"),
		submitted: desc("submitted_items_total", "Items taken."),
		refused:   desc("refused_items_total", "Items turned away because the pool was full."),
		tries:     desc("tries_total", "How often an item was offered to workers."),
		refusals:  desc("refusals_total", "How often no worker had a slot."),
		returned:  desc("returned_items_total", "Items given back by workers that were removed."),
		moved:     desc("moved_items_total", "Items taken from a busy worker by one that would have been idle."),
		panics:    desc("panics_total", "Panics of workers."),
		waits:     desc("wait_seconds", "How long items waited before they began."),
		oldest:    desc("oldest_age_seconds", "Age of the oldest item that has not begun."),
		waiting:   desc("waiting_items", "Items that have not begun, by where they are.", "place"),
		load:      desc("worker_load", "Items that a worker has, the one that it works on counted.", "worker"),
		busy:      desc("worker_busy_seconds", "For how long a worker has worked on its item.", "worker"),
		buffer:    desc("buffer_items", "How many items a worker may have."),
	}
}

// Describe is for the registry.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.items, c.submitted, c.refused, c.tries, c.refusals, c.returned, c.moved,
		c.panics,
		c.waits, c.oldest, c.waiting, c.load, c.busy, c.buffer} {
		ch <- d
	}
}

// Collect is for the registry.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	s := c.source.Stats()
	m := metrics(ch)
	m.count(c.items, s.Served, "served")
	m.count(c.items, s.Failed, "failed")
	m.count(c.items, s.TooOld, "too_old")
	m.count(c.items, s.Canceled, "cancelled")
	m.count(c.items, s.Aborted, "aborted")
	m.count(c.submitted, s.Submitted)
	m.count(c.refused, s.Full)
	m.count(c.tries, s.Attempts)
	m.count(c.refusals, s.Refusals)
	m.count(c.returned, s.Returned)
	m.count(c.moved, s.Moved)
	m.count(c.panics, s.Panics)
	m.waits(c.waits, &s.Waits)
	m.gauge(c.oldest, s.Oldest.Seconds())
	m.gauge(c.waiting, float64(s.Blocked), "outside")
	m.gauge(c.waiting, float64(s.Pool), "pool")
	m.gauge(c.waiting, float64(s.Accepted), "accepted")
	for _, w := range s.Workers {
		id := strconv.FormatUint(uint64(w.ID), 10)
		m.gauge(c.load, float64(w.Load), id)
		m.gauge(c.busy, w.Busy.Seconds(), id)
	}
	m.gauge(c.buffer, float64(s.Capacity))
}

// metrics are where the numbers of one answer go.
type metrics chan<- prometheus.Metric

func (m metrics) count(d *prometheus.Desc, n uint64, labels ...string) {
	m <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

func (m metrics) gauge(d *prometheus.Desc, v float64, labels ...string) {
	m <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// Buckets of the histogram end at 2¹⁰ ns, about a microsecond, and at every power of two up to 2³⁶ ns, about a minute.
const firstBucket, lastBucket = 10, 36

func (m metrics) waits(d *prometheus.Desc, h *dispatch.WaitHistogram) {
	buckets := make(map[float64]uint64, lastBucket-firstBucket+1)
	for k := firstBucket; k <= lastBucket; k++ {
		end := time.Duration(1) << k
		buckets[end.Seconds()] = h.Below(end)
	}
	m <- prometheus.MustNewConstHistogram(d, h.Count, h.Sum.Seconds(), buckets)
}
