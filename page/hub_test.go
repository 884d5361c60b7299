package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/page"
)

// A study on a hub is seen with how far it is, and workers as they come and go; a hub that is lost
// is said to be, what was known stays, and when it is back it is found again. Nobody can name
// another hub.
func TestHub(t *testing.T) {
	t.Parallel()
	plain := serve(t, page.Config{})
	if _, body := plain.want(http.StatusNotFound, "GET", "/hub?hub=nats://127.0.0.1:4222", nil); !strings.Contains(body,
		"almanac serve --hub") {
		t.Error(body)
	}
	dir := t.TempDir()
	h, err := ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	where := h.URL()
	g := new(ensemble.Registry)
	let := make(chan struct{})
	g.AddKind(ensemble.FuncKind("slow", "1", func(ctx context.Context, _ ensemble.Params, r ensemble.Replica) (
		ensemble.Outputs, error) {
		if r.Number > 0 {
			select {
			case <-let:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return ensemble.Outputs{"x": 1}, nil
	}))
	c := serve(t, page.Config{Hub: &ensemble.ConnectOptions{URL: where}})
	type state struct {
		Hub, Lost string
		Jobs      []ensemble.Status
		Workers   []ensemble.Member
		News      []struct{ Text string }
	}
	until := func(what string, is func(state) bool) {
		t.Helper()
		var s state
		for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			_, body := c.want(http.StatusOK, "GET", "/hub.json", nil)
			if s = (state{}); json.Unmarshal([]byte(body), &s) == nil && is(s) {
				return
			}
		}
		t.Fatalf("%s is not so: %+v", what, s)
	}
	until("the hub is there and empty", func(s state) bool { return s.Hub != "" && s.Lost == "" && len(s.Jobs) == 0 })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	conn, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: where})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	working, leave := context.WithCancel(ctx)
	left := make(chan error, 1)
	go func() {
		left <- ensemble.Serve(working, conn, ensemble.WorkerOptions{Name: "<worker> of ours", Slots: 1, Registry: g})
	}()
	until("a worker came", func(s state) bool {
		return len(s.Workers) == 1 && s.Workers[0].Name == "<worker> of ours" && len(s.News) == 1 &&
			strings.HasPrefix(s.News[0].Text, "<worker> of ours ")
	})
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Run(ctx, ensemble.Job{Name: "a study", Kind: "slow", Points: []ensemble.Point{{}}, Replicas: 3,
			Seed: 1}, ensemble.RunOptions{Registry: g})
		ended <- err
	}()
	until("the study runs", func(s state) bool {
		return len(s.Jobs) == 1 && s.Jobs[0].State == ensemble.Running && s.Jobs[0].Name == "a study"
	})
	if _, body := c.want(http.StatusOK, "GET", "/hub", nil); !strings.Contains(body, "a study") ||
		!strings.Contains(body, "&lt;worker&gt; of ours") || strings.Contains(body, "<worker>") ||
		!strings.Contains(body, "almanac jobs watch --hub") {
		t.Errorf("the page is without the study or the worker: %s", body)
	}
	close(let)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	until("the study is done", func(s state) bool {
		return len(s.Jobs) == 1 && s.Jobs[0].State == ensemble.Done && s.Jobs[0].Merged == 3
	})
	leave()
	if err := <-left; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	until("the worker went", func(s state) bool {
		return len(s.Workers) == 0 && len(s.News) == 2 && s.News[0].Text == "<worker> of ours went"
	})
	h.Close()
	until("the hub is lost, and what was known stays", func(s state) bool { return s.Lost != "" && len(s.Jobs) == 1 })
	if _, body := c.want(http.StatusOK, "GET", "/hub", nil); !strings.Contains(body, "The hub is away") ||
		!strings.Contains(body, "a study") {
		t.Error("the page does not say that the hub is away")
	}
	if h, err = ensemble.StartHub(ensemble.HubOptions{Store: dir, Listen: strings.TrimPrefix(where, "nats://")}); err !=
		nil {
		t.Fatal(err)
	}
	defer h.Close()
	until("the hub is back", func(s state) bool {
		return s.Lost == "" && len(s.Jobs) == 1 && s.Jobs[0].State ==
			ensemble.Done
	})
}
