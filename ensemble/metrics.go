package ensemble

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Metrics writes metrics of hubs, workers and coordinators in the text format of Prometheus. The
// zero value is empty. It may be used from several goroutines.
//
// The format is a few lines; a client library would be a larger part of the program than this.
type Metrics struct {
	mu      sync.Mutex
	sources []func(metric)
}

// A metric writes one number. A total never decreases.
type metric func(name, help string, total bool, value float64)

func (m *Metrics) add(f func(metric)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sources = append(m.sources, f)
}

// WriteTo writes the present values.
func (m *Metrics) WriteTo(w io.Writer) (n int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	write := func(name, help string, total bool, value float64) {
		kind := "gauge"
		if total {
			kind = "counter"
		}
		if err == nil {
			var k int
			k, err = fmt.Fprintf(w, "# HELP almanac_%s %s\n# TYPE almanac_%s %s\nalmanac_%s %g\n", name, help, name, kind, name,
				value)
			n += int64(k)
		}
	}
	for _, source := range m.sources {
		source(write)
	}
	return n, err
}

// ServeHTTP serves the metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = m.WriteTo(w)
}

// Worker adds the metrics of a worker.
func (m *Metrics) Worker(w *Worker) {
	m.add(func(write metric) {
		s := w.Stats()
		write("worker_slots", "Tasks that can run at once.", false, float64(s.Slots))
		write("worker_busy", "Tasks that run.", false, float64(s.Busy))
		write("worker_tasks_total", "Tasks begun.", true, float64(s.Tasks))
		write("worker_redelivered_tasks_total", "Tasks begun that another worker had been given before.", true,
			float64(s.Redelivered))
		write("worker_replicas_total", "Replicas run.", true, float64(s.Replicas))
		write("worker_events_total", "Events of those replicas.", true, float64(s.Events))
		write("worker_results_total", "Results stored.", true, float64(s.Stored))
		write("worker_duplicates_total", "Results that were stored already.", true, float64(s.Duplicates))
		write("worker_failures_total", "Replicas that failed.", true, float64(s.Failures))
		write("worker_refused_jobs_total", "Jobs refused because of their version.", true, float64(s.Refused))
	})
}

// Hub adds the metrics of a hub.
func (m *Metrics) Hub(h *Hub) {
	m.add(func(write metric) {
		up := 1.0
		select {
		case <-h.failed:
			up = 0
		default:
		}
		write("hub_stores", "1 if the hub can store.", false, up)
		write("hub_connections", "Clients connected.", false, float64(h.server.NumClients()))
		if s := h.server.JetStreamConfig(); s != nil {
			write("hub_store_limit_bytes", "Bytes that may be stored.", false, float64(s.MaxStore))
		}
		if s, err := h.server.Jsz(nil); err == nil {
			write("hub_store_bytes", "Bytes stored.", false, float64(s.Store))
			write("hub_messages", "Messages stored.", false, float64(s.Messages))
			write("hub_streams", "Streams: one for tasks, two for jobs and models, one for each job.", false, float64(s.Streams))
			write("hub_api_requests_total", "Requests to JetStream.", true, float64(s.API.Total))
			write("hub_api_errors_total", "Requests that were refused.", true, float64(s.API.Errors))
		}
	})
}

// Watch adds the metrics of a job. Call the returned function with each Progress.
func (m *Metrics) Watch() func(Progress) {
	var mu sync.Mutex
	var last Progress
	m.add(func(write metric) {
		mu.Lock()
		p := last
		mu.Unlock()
		write("job_points", "Points of the job.", false, float64(p.Points))
		write("job_points_done", "Points that are finished.", false, float64(p.PointsDone))
		write("job_replicas", "Replicas of the job, at most.", false, float64(p.Replicas))
		write("job_replicas_merged", "Replicas merged.", false, float64(p.Merged))
		write("job_events_total", "Events of the replicas merged.", true, float64(p.Events))
		write("job_workers", "Workers of the job's version.", false, float64(p.Workers))
		write("job_slots", "Tasks that they can run at once.", false, float64(p.Slots))
		write("job_refusing_workers", "Workers of another version.", false, float64(len(p.Refused)))
		write("job_tasks_total", "Tasks handed out.", true, float64(p.Counts.Tasks))
		write("job_results_total", "Results read.", true, float64(p.Counts.Results))
		write("job_short_results_total", "Results of fewer replicas than were asked for.", true, float64(p.Counts.Short))
		write("job_redone_total", "Results of tasks that were handed out more than once.", true, float64(p.Counts.Redone))
		write("job_duplicate_replicas_total", "Replicas that came more than once.", true, float64(p.Counts.Duplicates))
		write("job_lost_tasks_total", "Tasks that were found nowhere.", true, float64(p.Counts.Lost))
	})
	return func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		last = p
	}
}
