//go:build linux || darwin

package ensemble

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
)

// aged writes of a job that it was last used so long ago.
func aged(t *testing.T, c *Conn, key string, age time.Duration) {
	t.Helper()
	s, revision, err := c.status(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	s.Updated = s.Updated.Add(-age)
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.jobs.Update(t.Context(), key, data, revision); err != nil {
		t.Fatal(err)
	}
}

// Jobs that nobody has used for some time are forgotten, whatever has become of them, with all that
// was kept of them; the others stay. To ask for the results of one that is done is to use it. What
// was forgotten can be given again, and gives the same.
func TestForgetBefore(t *testing.T) {
	c := connect(t, testHub(t, HubOptions{Listen: "none"}), 0)
	work(t, c, WorkerOptions{Slots: 2})
	kept := walks(2, 5)
	kept.Keep = true
	want, first, err := run(t, c, kept, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := run(t, c, walks(3, 5), RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-24 * time.Hour)
	for _, key := range []string{first.Key, second.Key} {
		aged(t, c, key, 48*time.Hour)
	}
	if _, again, err := run(t, c, walks(3, 5), RunOptions{}); err != nil || !again.WasDone {
		t.Fatalf("%+v, %v", again, err)
	}
	gone, err := c.ForgetBefore(t.Context(), before)
	if err != nil || len(gone) != 1 || gone[0].Key != first.Key || gone[0].State != Done {
		t.Errorf("%+v were forgotten, %v", gone, err)
	}
	if _, err := c.Status(t.Context(), first.Key); !errors.Is(err, ErrNoJob) {
		t.Errorf("what was forgotten is known: %v", err)
	}
	if _, err := c.js.Stream(t.Context(), wire.JournalName(first.Key)); err == nil {
		t.Error("the journal of what was forgotten is there")
	}
	if _, err := c.Load(t.Context(), first.Key); !errors.Is(err, ErrNoJob) {
		t.Errorf("the model of what was forgotten is there: %v", err)
	}
	if s, err := c.Status(t.Context(), second.Key); err != nil || s.State != Done {
		t.Errorf("what was used is %+v, %v", s, err)
	}
	got, again, err := run(t, c, kept, RunOptions{})
	if err != nil || again.WasDone || again.Resumed {
		t.Errorf("%+v, %v", again, err)
	}
	same(t, got, want)
	// One that has lost its coordinator is running for ever, unless it is forgotten.
	if err := c.change(t.Context(), second.Key, func(s *Status) error { s.State = Running; return nil }); err != nil {
		t.Fatal(err)
	}
	aged(t, c, second.Key, 48*time.Hour)
	if gone, err := c.ForgetBefore(t.Context(), before); err != nil || len(gone) != 1 || gone[0].Key != second.Key {
		t.Errorf("%+v were forgotten, %v", gone, err)
	}
}
