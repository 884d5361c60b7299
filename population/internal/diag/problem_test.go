package diag

import (
	"strings"
	"testing"
)

func TestProblemsFollowTheFile(t *testing.T) {
	var l List
	if l.Err() != nil {
		t.Error("an empty list is an error")
	}
	l.Add(Place{"m.yaml", 3, 2}, "third")
	l.Add(Place{"m.yaml", 1, 9}, "second")
	l.Add(Place{"--set beta", 1, 1}, "first: %s", "a flag has no lines")
	l.Add(Place{"m.yaml", 3, 2}, "third") // read twice, listed once
	const want = "--set beta: first: a flag has no lines\nm.yaml:1:9: second\nm.yaml:3:2: third"
	if err := l.Err(); err == nil || err.Error() != want || l.Count != 3 {
		t.Errorf("%d found:\n%v\nwant\n%s", l.Count, err, want)
	}
}

// counted counts how often it is formatted.
type counted struct{ n *int }

func (c counted) String() string { *c.n++; return "x" }

func TestProblemsBeyondTheLimitAreCountedOnly(t *testing.T) {
	var l List
	formatted := 0
	for i := range MaxListed + 50 {
		l.Add(Place{"m.yaml", i + 1, 1}, "%v", counted{&formatted})
	}
	lines := strings.Split(l.Err().Error(), "\n")
	const last = "m.yaml: there are more problems; these are the first 100 that were found"
	if formatted != MaxListed || l.Count != MaxListed+50 || len(lines) != MaxListed+1 || lines[MaxListed] != last {
		t.Errorf("%d formatted, %d found, %d lines, the last is %q",
			formatted, l.Count, len(lines), lines[len(lines)-1])
	}
}

func TestNothingIsAddedAfterStopping(t *testing.T) {
	var l List
	l.Add(Place{"m.yaml", 1, 1}, "too much")
	l.Stopped = true
	l.Add(Place{"m.yaml", 2, 1}, "ignored")
	if l.Count != 1 || len(l.All) != 1 {
		t.Errorf("%d found: %v", l.Count, l.All)
	}
}
