package progress

import (
	"bytes"
	"encoding/json"
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

// A program gets lines of JSON: the first at once, and no flood of them.
func TestLinesForPrograms(t *testing.T) {
	t.Setenv(Variable, "json")
	var out bytes.Buffer
	b := New(&out)
	b.Set(0, 0, "nothing is known yet")
	for i := range 1000 {
		b.Set(250+i, 1000, "day 40, \"half\"")
	}
	b.Close()
	b.Close()
	first, rest, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	if want := `{"progress":0.25,"text":"day 40, \"half\""}`; string(first) != want {
		t.Errorf("the first line is %s, expected %s", first, want)
	}
	if n := bytes.Count(rest, []byte("\n")); n >= 999 {
		t.Errorf("%d more lines for 999 steps", n)
	}
	for _, one := range bytes.Split(bytes.TrimSpace(rest), []byte("\n")) {
		if len(one) > 0 && !json.Valid(one) {
			t.Errorf("%s is not JSON", one)
		}
	}
}
