//go:build linux || darwin

package ensemble

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// What Prometheus is given is in its form, each name once, and counts what happened.
func TestMetrics(t *testing.T) {
	h := testHub(t, HubOptions{Listen: "none"})
	c := connect(t, h, 0)
	w, stop := work(t, c, WorkerOptions{Slots: 1})
	var m Metrics
	m.Hub(h)
	m.Worker(w)
	watch := m.Watch()
	_, outcome, err := run(t, c, walks(5, 10), RunOptions{Progress: watch})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	watch(Progress{Points: 5, PointsDone: 5, Merged: outcome.Replicas})
	answer := httptest.NewRecorder()
	m.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text := answer.Body.String()
	for _, want := range []string{"\nalmanac_worker_replicas_total 50\n", "\nalmanac_job_points_done 5\n",
		"\nalmanac_hub_stores 1\n", "\n# TYPE almanac_worker_tasks_total counter\n", "\nalmanac_job_replicas_merged 50\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, _, _ := strings.Cut(line, " ")
		if !regexp.MustCompile(`^almanac_[a-z_]+ [0-9.e+-]+\n$`).MatchString(line) || seen[name] {
			t.Errorf("%q", line)
		}
		seen[name] = true
	}
}
