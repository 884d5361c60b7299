package relaxedtest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

// A saved trace that is damaged, anywhere, is refused.
func TestReadTraceRefuses(t *testing.T) {
	trace := relaxedtest.Meter{Goroutines: 2, Fill: 5, Operations: 4, Drain: true}.Run(&plain{})
	var b bytes.Buffer
	if _, err := trace.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Len() {
		if _, err := relaxedtest.ReadTrace(bytes.NewReader(b.Bytes()[:i])); err == nil {
			t.Errorf("%d of %d bytes are enough", i, b.Len())
		}
		wrong := bytes.Clone(b.Bytes())
		wrong[i] ^= 0x40
		if _, err := relaxedtest.ReadTrace(bytes.NewReader(wrong)); err == nil {
			t.Errorf("byte %d may be changed", i)
		}
	}
	if _, err := relaxedtest.ReadTrace(strings.NewReader("round,arrived,thrown\n")); err == nil || err.Error() !=
		"relaxedtest: this is not a trace" {
		t.Error(err)
	}
}

// An error of the writer is returned.
func TestWriteTrace(t *testing.T) {
	trace := relaxedtest.Meter{Fill: 1000, Operations: 1000}.Run(&plain{})
	for _, room := range []int{0, 5000, 20_000} {
		if _, err := trace.WriteTo(&full{room}); err == nil {
			t.Errorf("no error with room for %d bytes", room)
		}
	}
}

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, fmt.Errorf("full")
	}
	return len(b), nil
}
