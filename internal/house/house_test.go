package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", Module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := 0
	for d := json.NewDecoder(bytes.NewReader(out)); ; packages++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems(p.ImportPath, p.Imports) {
			t.Error(problem)
		}
	}
	if packages < 3 {
		t.Errorf("only %d packages found", packages)
	}
}

// problems lists what is wrong with the imports of a package.
func problems(path string, imports []string) []string {
	from, _ := room(path)
	allowed, known := mayImport[from]
	if !known {
		return []string{path + ": " + from + " is not a directory that the rule knows"}
	}
	var all []string
	for _, other := range imports {
		to, ours := room(other)
		if ours && to != from && !slices.Contains(allowed, to) {
			all = append(all, path+" may not import "+other)
		}
	}
	return all
}

// room is the top-level directory of a package, if it is one of ours.
func room(path string) (string, bool) {
	rest, ours := strings.CutPrefix(path, Module+"/")
	first, _, _ := strings.Cut(rest, "/")
	return first, ours
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		path, imports string
		want          int
	}{
		{"calendar", "internal/plot", 0},
		{"calendar/calendartest", "calendar", 0},
		{"calendar", "spray", 1},
		{"spray", "calendar", 0},
		{"capped", "calendar", 1},
		{"sim", "cmd/almanac", 1},
		{"cmd/almanac", "reproduce", 0},
		{"utils", "calendar", 1},
	} {
		if got := problems(Module+"/"+c.path, []string{"fmt", Module + "/" + c.imports}); len(got) != c.want {
			t.Errorf("%s importing %s: %q", c.path, c.imports, got)
		}
	}
}
