package progress

import (
	"bytes"
	"testing"
)

// Where there is no terminal, nothing is written; and a bar can be closed early, twice, or not be
// there at all.
func TestSilentWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	b := New(&out)
	b.Set(1, 10, "first")
	b.Set(5, 10, "second")
	b.Close()
	b.Close()
	if out.Len() != 0 {
		t.Errorf("wrote %q", out.String())
	}
	var none *Bar
	none.Set(1, 2, "")
	none.Close()
}
