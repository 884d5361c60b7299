package hub

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
)

// A hub that nobody looks at is not dialled, neither at first nor when it is away.
func TestHubUnwatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dials atomic.Int64
		h := New(func(context.Context) (*ensemble.Conn, error) {
			dials.Add(1)
			return nil, errors.New("away")
		}, slog.New(slog.DiscardHandler))
		defer h.Close()
		time.Sleep(time.Hour)
		if dialled := dials.Load(); dialled != 0 {
			t.Errorf("dialled %d times, and nobody looked", dialled)
		}
		h.State()
		time.Sleep(time.Hour)
		if most, dialled := int64(idleAfter/(2*interval))+1, dials.Load(); dialled < most-1 || dialled > most {
			t.Errorf("dialled %d times after one look", dialled)
		}
		if s := h.State(); s.Lost != "away" {
			t.Errorf("%+v", s)
		}
	})
}

// Workers that cannot be listened to are said to be unknown, and not gone, and are listened to
// again.
func TestHubUnheard(t *testing.T) {
	server, err := ensemble.StartHub(ensemble.HubOptions{Store: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	h := New(func(ctx context.Context) (*ensemble.Conn, error) {
		conn, err := ensemble.Connect(ctx, ensemble.ConnectOptions{URL: server.URL()})
		if err == nil {
			conn.Close() // nothing can be heard over it
		}
		return conn, err
	}, slog.New(slog.DiscardHandler))
	defer h.Close()
	h.mu.Lock()
	h.lastRequest, h.state.Workers = time.Now(), []ensemble.Member{{ID: "1", Name: "one"}}
	h.mu.Unlock()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if s := h.State(); s.Unheard != "" {
			if len(s.Workers) != 0 || strings.Contains(s.Unheard, "ensemble:") || len(s.News) != 0 {
				t.Errorf("%+v", s)
			}
			return
		}
	}
	t.Error("nobody is heard, and it is not said")
}

// A worker neither goes nor comes when our own link to the hub does, nor when the hub is not asked
// because nobody looks; one that went meanwhile is said to have gone once all others can have been
// heard.
func TestHubLinkDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Watcher{wake: make(chan struct{}, 1)}
		one, two, three := ensemble.Member{ID: "1", Name: "one"}, ensemble.Member{ID: "2", Name: "two"},
			ensemble.Member{ID: "3", Name: "three"}
		hear := func(seconds int, look bool, now ...ensemble.Member) {
			for range seconds {
				time.Sleep(time.Second)
				if look {
					h.State()
				}
				h.updateWorkers(now)
			}
		}
		want := func(what string, workers int, news ...string) {
			t.Helper()
			s := h.State()
			var texts []string
			for _, n := range s.News {
				texts = append(texts, n.Text)
			}
			if len(s.Workers) != workers || !slices.Equal(texts, news) {
				t.Errorf("%s: %d workers, %q", what, len(s.Workers), texts)
			}
		}
		h.update("here", nil)
		hear(2, true, one, two)
		came := []string{"two was heard for the first time", "one was heard for the first time"} // they were there before
		want("both are there", 2, came...)
		h.unreachable(errors.New("away"))
		hear(60, true)
		want("the link is down", 2, came...)
		h.update("here", nil)
		hear(3, true) // nobody has said a word yet
		want("the link is up", 2, came...)
		hear(3, true, one, two)
		want("both are heard", 2, came...)
		hear(20, false, one, two)
		hear(60, false) // the link may be down, and nobody has asked
		want("nobody looks", 2, came...)
		h.workersUnknown(errors.New("deaf"))
		want("nobody can be heard", 0, came...)
		hear(3, true, one)
		want("one is heard", 2, came...)
		hear(10, true, one)
		want("two has gone", 1, append([]string{"two went"}, came...)...)
		hear(1, true, one, three)
		want("three has come", 2, append([]string{"three came", "two went"}, came...)...)
	})
}
