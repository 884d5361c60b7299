package page_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/almanac-sim/almanac/page"
)

// lists are the pages that look through the directory.
var lists = []string{"/", "/compare", "/studies", "/queues", "/papers"}

// An empty directory is shown, and says what could be there.
func TestEmptyDirectory(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := serve(t, page.Config{Files: root.FS(), Root: root, About: dir, Dir: dir})
	for _, path := range lists {
		if _, body := c.want(http.StatusOK, "GET", path, nil); strings.Contains(body, "cannot be read") ||
			strings.Contains(body, "more, for which") {
			t.Errorf("%s: %s", path, body)
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/", nil); !strings.Contains(body, "There is no model file here: one "+
		"that ends in .yaml and has states.") {
		t.Error(body)
	}
	c.want(http.StatusNotFound, "GET", "/models/a.yaml", nil)
	c.want(http.StatusNotFound, "GET", "/results/", nil)
}

// A directory that is removed while it is shown is said to be gone. What was typed is not lost with
// it, and can be run.
func TestDirectoryRemoved(t *testing.T) {
	c, dir := directory(t, map[string]string{"walk.yaml": small})
	c.want(http.StatusOK, "GET", "/models/walk.yaml", nil)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range lists {
		if _, body := c.want(http.StatusOK, "GET", path, nil); !strings.Contains(body, "The directory cannot be read: it "+
			"is gone.") || strings.Contains(body, "/models/walk.yaml") {
			t.Errorf("%s: %s", path, body)
		}
	}
	c.want(http.StatusNotFound, "GET", "/models/walk.yaml", nil)
	typed := url.Values{"path": {"walk.yaml"}, "source": {small + "# typed\n"}, "do": {"save"}, "read": {"x"},
		"replicas": {"1"}}
	if _, body := c.want(http.StatusNotFound, "POST", "/models/walk.yaml", typed); !strings.Contains(body, "# typed") ||
		!strings.Contains(body, "there is no file &#34;walk.yaml&#34; here") {
		t.Errorf("what was typed is lost: %s", body)
	}
	if _, body := c.start("/runs", typed); !strings.Contains(body, `data-state="done"`) {
		t.Error(body)
	}
}

// A locked has a directory that may not be read.
type locked struct {
	fstest.MapFS
	dir string
}

func (l locked) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == l.dir {
		return nil, &fs.PathError{Op: "open", Path: "/home/somebody/" + name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}

// What may not be read is said not to be, without where it is on the machine; what else there is is
// shown.
func TestDirectoryLocked(t *testing.T) {
	files := fstest.MapFS{"walk.yaml": {Data: []byte(small)}, "secret/walk.yaml": {Data: []byte(small)}}
	for dir, x := range map[string]struct {
		says  string
		shown bool
	}{".": {"The directory cannot be read: it may not be.", false}, "secret": {"Here 1 name cannot be read", true}} {
		c := serve(t, page.Config{Files: locked{files, dir}})
		for _, path := range lists {
			_, body := c.want(http.StatusOK, "GET", path, nil)
			if !strings.Contains(body, x.says) || strings.Contains(body, "somebody") {
				t.Errorf("%s: %s: %s", dir, path, body)
			}
		}
		if _, body := c.want(http.StatusOK, "GET", "/", nil); strings.Contains(body, `href="/models/walk.yaml"`) != x.shown ||
			strings.Contains(body, "secret/walk") {
			t.Errorf("%s: %s", dir, body)
		}
	}
}

// A list that has no room for all says how many more there are, and how to get them; so does one
// that did not look at everything.
func TestLongLists(t *testing.T) {
	files := map[string]string{"a/b/c/d/e/f/g/deep.yaml": small}
	for i := range 503 {
		files[fmt.Sprintf("m/%03d.yaml", i)] = "states: {}"
		for k, name := range []string{"summary.json", "points.csv", "courses.csv", "claims.json"} {
			if i < 502-k { // 2, 1 and 0 too many, and one fewer
				files[fmt.Sprintf("r/%03d/%s", i, name)] = "{}"
			}
		}
	}
	c := serve(t, page.Config{Files: someFiles(files)})
	for path, want := range map[string][]string{
		"/": {"And 3 more,", "And 2 more,", "more than 6 directories down"}, "/compare": {"And 3 more,", "And 2 more,"},
		"/studies": {"And 3 more,", "And 1 more,"}, "/queues": {"more than 6"}, "/papers": {"more than 6"},
	} {
		_, body := c.want(http.StatusOK, "GET", path, nil)
		for _, words := range want {
			if !strings.Contains(body, words) {
				t.Errorf("%s: no %q", path, words)
			}
		}
		if n := strings.Count(body,
			"for which this list has no room; almanac serve shows those below one of the directories."); n !=
			strings.Count(strings.Join(want, ""), "And ") {
			t.Errorf("%s: %d lists are cut", path, n)
		}
	}
	files = map[string]string{}
	for i := range 20_000 {
		files[fmt.Sprintf("z/%d.txt", i)] = ""
	}
	c = serve(t, page.Config{Files: someFiles(files)})
	if _, body := c.want(http.StatusOK, "GET", "/", nil); !strings.Contains(body,
		"more than 20,000 files and directories") {
		t.Error("a long walk is not said to be cut")
	}
}

// The copies of a model beside the results of our commands come after those that somebody wrote,
// and have the names of their directories, since all are called model.
func TestCopiesOfModels(t *testing.T) {
	c, _ := directory(t, map[string]string{"a/model.yaml": small, "a/command.txt": "almanac run walk.yaml --out a",
		"b/model.yaml": small, "walk.yaml": small})
	for _, list := range []string{"/", "/studies"} {
		_, body := c.want(http.StatusOK, "GET", list, nil)
		mine, theirs := strings.Index(body, "walk.yaml"), strings.Index(body, ">a/model<")
		if other := strings.Index(body, ">model<"); !(0 < other && other < mine && mine < theirs) ||
			strings.Count(body, ">model<") != 1 {
			t.Errorf("%s: the copy at %d, models at %d and %d", list, theirs, other, mine)
		}
	}
}
