package hubconf

import (
	"bytes"
	"log/slog"
	"testing"
	"time"
)

// That a machine is slow for some seconds is no warning; what else the server warns of is one.
func TestSlownessIsNoWarning(t *testing.T) {
	for level, want := range map[slog.Level]string{slog.LevelWarn: "level=WARN msg=\"the disk is nearly full\"\n",
		slog.LevelDebug: "level=DEBUG msg=\"Internal subscription on \\\"$JS.API\\\" took too long: 2.03s\"\n" +
			"level=DEBUG msg=\"Readloop processing time: 3s\"\nlevel=WARN msg=\"the disk is nearly full\"\n"} {
		var said bytes.Buffer
		timeless := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
		l := Logger{slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: level, ReplaceAttr: timeless})),
			&LastError{}}
		l.Warnf("Internal subscription on %q took too long: %v", "$JS.API", "2.03s")
		l.Warnf("Readloop processing time: %v", 3*time.Second)
		l.Warnf("the disk is nearly full")
		if said.String() != want {
			t.Errorf("at %v it said\n%swant\n%s", level, said.String(), want)
		}
	}
}
