package main

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/ensemble"
)

// The hub in this process, and its worker, say nothing to a user who has started none, unless asked.
func TestNothingIsSaidOfTheHubHere(t *testing.T) {
	trouble := ensemble.Progress{Trouble: "the hub does not answer", Refused: []string{"another version"}}
	for _, test := range []struct {
		hub     string
		verbose bool
		logs    bool
	}{{"", false, false}, {"", true, true}, {"nats://hub", false, true}} {
		f := studyFlags{hubFlags: hubFlags{hub: test.hub, verbose: test.verbose}}
		var errs bytes.Buffer
		c := new(cobra.Command)
		c.SetErr(&errs)
		f.studyLogger(c).Log(t.Context(), slog.LevelError, "a replica does not stop")
		if logs := errs.Len() > 0; logs != test.logs {
			t.Errorf("%+v: %q", test, errs.String())
		}
		if p := f.told(trouble); (len(workerPace(p)) == 0) != (test.hub == "") || (p.Refused == nil) != (test.hub == "") {
			t.Errorf("%+v: %+v", test, p)
		}
	}
}
