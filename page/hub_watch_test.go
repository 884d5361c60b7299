package page

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// A hub that nobody looks at is not dialled, neither at first nor when it is away.
func TestHubUnwatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialled := 0
		h := newHub(func(context.Context) (*ensemble.Conn, error) { dialled++; return nil, errors.New("away") }, quiet)
		defer h.close()
		time.Sleep(time.Hour)
		if dialled != 0 {
			t.Errorf("dialled %d times, and nobody looked", dialled)
		}
		h.look()
		time.Sleep(time.Hour)
		if most := int(hubIdle/(2*hubPause)) + 1; dialled < most-1 || dialled > most {
			t.Errorf("dialled %d times after one look", dialled)
		}
		if s := h.look(); s.Lost != "away" {
			t.Errorf("%+v", s)
		}
	})
}

// Workers that cannot be listened to are said to be unknown, and not gone, and are listened to again.
func TestHubUnheard(t *testing.T) {
	server, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	h := newHub(func(ctx context.Context) (*ensemble.Conn, error) {
		conn, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: server.URL()})
		if err == nil {
			conn.Close() // nothing can be heard over it
		}
		return conn, err
	}, quiet)
	defer h.close()
	h.hear([]ensemble.Member{{ID: "1", Name: "one"}})
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if s := h.look(); s.Unheard != "" {
			if len(s.Workers) != 0 || strings.Contains(s.Unheard, "ensemble:") || len(s.News) != 1 {
				t.Errorf("%+v", s)
			}
			h.hear(nil)
			if s := h.look(); s.Unheard != "" {
				t.Errorf("%+v", s)
			}
			return
		}
	}
	t.Error("nobody is heard, and it is not said")
}
