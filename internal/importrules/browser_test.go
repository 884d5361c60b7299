package importrules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// What drives a browser is for tests: no program has it.
func TestBrowserIsForTests(t *testing.T) {
	const driver = "github.com/chromedp/"
	inTests := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			switch {
			case !strings.HasPrefix(strings.Trim(i.Path.Value, `"`), driver):
			case strings.HasSuffix(path, "_test.go"):
				inTests++
			default:
				t.Errorf("%s imports %s", path, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if inTests == 0 {
		t.Error("no test drives a browser")
	}
}
