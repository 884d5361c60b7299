package caddyqueue

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// adminAPI has the endpoint /queues of the admin API: the state of all queues, as JSON.
type adminAPI struct{}

func (adminAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.queue", New: func() caddy.Module { return new(adminAPI) }}
}

// Routes returns the endpoint, by both its names.
func (adminAPI) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{
		{Pattern: "/queues", Handler: caddy.AdminHandlerFunc(serveQueues)},
		{Pattern: "/capped/queues", Handler: caddy.AdminHandlerFunc(serveQueues)}, // the old name
	}
}

// queueState is a queue in the admin API. Times are in seconds.
type queueState struct {
	Name      string         `json:"name"`
	Capacity  int            `json:"capacity"`
	Limit     int            `json:"limit"`
	Waiting   int            `json:"waiting"`
	InFlight  int            `json:"in_flight"`
	Oldest    float64        `json:"oldest_seconds"`  // how long the oldest has waited
	Service   float64        `json:"service_seconds"` // moving average of how long a slot is held
	Requests  uint64         `json:"requests"`
	Completed uint64         `json:"completed"`
	Failed    uint64         `json:"failed"`
	Canceled  uint64         `json:"canceled"`
	Full      uint64         `json:"refused_full"`
	TooOld    uint64         `json:"refused_too_old"`
	Retries   uint64         `json:"retries"`
	Backends  []backendState `json:"backends"`
}

type backendState struct {
	Address   string  `json:"address"`
	Capacity  int     `json:"capacity"`
	State     string  `json:"state"` // healthy, ejected, half_open, or removed
	InFlight  int     `json:"in_flight"`
	Completed uint64  `json:"completed"`
	Failed    uint64  `json:"failed"`
	Ejected   float64 `json:"ejected_seconds,omitempty"` // for how much longer
}

func serveQueues(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		return caddy.APIError{
			HTTPStatus: http.StatusMethodNotAllowed,
			Err:        errors.New("the method must be GET"),
		}
	}
	all := []queueState{}
	queues.Range(func(_, v any) bool {
		all = append(all, v.(*queue).state())
		return true
	})
	slices.SortFunc(all, func(a, b queueState) int { return strings.Compare(a.Name, b.Name) })
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(all)
}

// addressOf returns the dial address of a backend with a URL.
func addressOf(url string) string {
	_, address, _ := strings.Cut(url, "://")
	return address
}

func (q *queue) state() queueState {
	s := q.transport.Stats()
	q.mu.Lock()
	limit := q.last.limit
	q.mu.Unlock()
	state := queueState{
		Name: q.name, Capacity: s.Capacity, Limit: limit, Waiting: s.Waiting, InFlight: s.InFlight,
		Oldest: s.Oldest.Seconds(), Service: s.Service.Seconds(),
		Requests: s.Requests, Completed: s.Completed, Failed: s.Failed + s.Broken, Canceled: s.Canceled,
		Full: s.Full, TooOld: s.TooOld, Retries: s.Retries,
		Backends: []backendState{},
	}
	for _, b := range s.Backends {
		bs := backendState{
			Address: addressOf(b.URL), Capacity: b.Capacity, State: "healthy", InFlight: b.InFlight, Completed: b.Completed, Failed: b.Failed,
			Ejected: b.Ejected.Seconds(),
		}
		switch {
		case b.Removed:
			bs.State = "removed"
		case b.Ejected > 0:
			bs.State = "ejected"
		case b.HalfOpen:
			bs.State = "half_open"
		}
		state.Backends = append(state.Backends, bs)
	}
	return state
}

var _ caddy.AdminRouter = adminAPI{}
