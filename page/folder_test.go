package page_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/page"
)

const small = `# A walk from a to b.
name: walk
time: {unit: day, end: 10}
population: {size: 100, start: {a: rest}}
parameters:
  speed: 0.5 per day   # how fast
states:
  a: {race: [{rate: speed, to: b}]}
  b: {}
record: {every: 1 day}
`

// directory is a server of a directory with files in it.
func directory(t *testing.T, files map[string]string) (*client, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "models")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return serve(t, page.Config{Files: root.FS(), Root: root, About: dir, Dir: "models"}), dir
}

// Nothing outside of the directory is shown, checked, run, read as a table or written.
func TestOutside(t *testing.T) {
	c, dir := directory(t, map[string]string{"walk.yaml": small, "deep/er/walk.yaml": small})
	above := filepath.Dir(dir)
	secret := strings.Replace(small, "name: walk", "name: secret", 1)
	for path, text := range map[string]string{filepath.Join(above, "secret.yaml"): secret,
		filepath.Join(above, "secret.csv"): "time,speed\n0,1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out.yaml": "../secret.yaml", "absolute.yaml": filepath.Join(above,
		"secret.yaml"), "up": "..", "table.csv": "../secret.csv", "inside.yaml": "walk.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := makePipe(filepath.Join(dir, "pipe.yaml")); err != nil {
		t.Fatal(err)
	}
	c.want(http.StatusOK, "GET", "/models/walk.yaml", nil)
	c.want(http.StatusOK, "GET", "/models/deep/er/walk.yaml", nil)
	c.want(http.StatusOK, "GET", "/models/inside.yaml", nil) // a link that stays
	for _, path := range []string{"../secret.yaml", "deep/../../secret.yaml", "out.yaml", "absolute.yaml",
		"up/secret.yaml", "/etc/passwd", filepath.Join(above, "secret.yaml"), "pipe.yaml", "deep", ".", "", `..\secret.yaml`,
		"walk.yaml\x00"} {
		answer, body := c.ask("GET", "/models/"+strings.ReplaceAll(url.PathEscape(path), ".", "%2e"), nil)
		if answer.StatusCode < 300 || strings.Contains(body, "name: secret") {
			t.Errorf("GET %q: %s", path, answer.Status)
		}
		for _, to := range []string{"/runs", "/check"} {
			c.want(http.StatusNotFound, "POST", to, url.Values{"path": {path}})
		}
		answer, body = c.ask("GET", "/results/"+strings.ReplaceAll(url.PathEscape(path), ".", "%2e"), nil)
		if answer.StatusCode < 300 || strings.Contains(body, "secret:") {
			t.Errorf("results %q: %s", path, answer.Status)
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/", nil); strings.Contains(body, "secret") ||
		!strings.Contains(body, "A walk from a to b.") {
		t.Error("the list has what it should not, or not what it should")
	}
	// Tables.
	for _, table := range []string{"../secret.csv", "table.csv", filepath.Join(above, "secret.csv"), "/etc/passwd",
		"deep/../../secret.csv"} {
		source := strings.Replace(small, "speed: 0.5 per day", "speed: {steps: {file: '"+table+"', column: speed, unit: "+
			"per day}}", 1)
		_, body := c.want(http.StatusOK, "POST", "/check", url.Values{"path": {"walk.yaml"}, "source": {source}})
		if strings.Contains(body, `"good":true`) {
			t.Errorf("the table %s is read: %s", table, body)
		}
	}
	// Writing.
	for _, path := range []string{"out.yaml", "up/secret.yaml", "absolute.yaml"} {
		c.want(http.StatusNotFound, "POST", "/models/"+path, url.Values{"do": {"save"}, "source": {small}, "read": {"x"}})
	}
	// What is no model is neither shown nor written, though it is inside.
	for _, path := range []string{"run.sh", ".hidden.yaml", ".git/hooks.yaml"} {
		file := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(secret), 0o777)); err != nil {
			t.Fatal(err)
		}
		if answer, body := c.ask("GET", "/models/"+path, nil); answer.StatusCode < 400 ||
			strings.Contains(body, "name: secret") {
			t.Errorf("GET %s: %s", path, answer.Status)
		}
		sum := sha256.Sum256([]byte(secret))
		if answer, _ := c.ask("POST", "/models/"+path, url.Values{"do": {"save"}, "source": {small},
			"read": {hex.EncodeToString(sum[:])}}); answer.StatusCode < 400 {
			t.Errorf("POST %s: %s", path, answer.Status)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != secret {
			t.Errorf("%s is now %q, %v", path, text, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(above, "secret.yaml")); err != nil || string(text) != secret {
		t.Errorf("the file outside is %q, %v", text, err)
	}
}

var readField = regexp.MustCompile(`name="read" value="([0-9a-f]+)"`)

// read is what the page knows the file by.
func (c *client) read(path string) string {
	c.t.Helper()
	_, body := c.want(http.StatusOK, "GET", path, nil)
	return readField.FindStringSubmatch(body)[1]
}

// A file is written if it is as it was read, whole, with its mode; otherwise it stays, and so does
// what was typed.
func TestSave(t *testing.T) {
	c, dir := directory(t, map[string]string{"walk.yaml": small})
	path := filepath.Join(dir, "walk.yaml")
	read := c.read("/models/walk.yaml")
	changed := strings.Replace(small, "size: 100", "size: 200", 1)
	answer, _ := c.want(http.StatusSeeOther, "POST", "/models/walk.yaml",
		url.Values{"do": {"save"}, "source": {strings.ReplaceAll(changed, "\n", "\r\n")}, "read": {read}})
	if to := answer.Header.Get("Location"); to != "/models/walk.yaml?done=saved" {
		t.Error(to)
	}
	text, err := os.ReadFile(path)
	info, _ := os.Stat(path)
	if err != nil || string(text) != changed || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, mode %v: %s", err, info.Mode(), text)
	}
	// The same form again: the file has changed since.
	_, body := c.want(http.StatusConflict, "POST", "/models/walk.yaml",
		url.Values{"do": {"save"}, "source": {small + "# mine\n"}, "read": {read}})
	if !strings.Contains(body, "has changed since") || !strings.Contains(html.UnescapeString(body), "# mine") {
		t.Errorf("%.2000s", body)
	}
	if text, _ := os.ReadFile(path); string(text) != changed {
		t.Errorf("%s", text)
	}
	// The page that said so cannot save over it, either.
	if now := readField.FindStringSubmatch(body); now == nil || now[1] != read {
		t.Errorf("the page knows the file by %q, and was made of %q", now, read)
	}
	_, body = c.want(http.StatusUnprocessableEntity, "POST", "/runs", url.Values{"path": {"walk.yaml"},
		"source": {"states: 1"}, "read": {read}})
	if now := readField.FindStringSubmatch(body); now == nil || now[1] != read {
		t.Errorf("after a run the page knows the file by %q, and was made of %q", now, read)
	}
	// Of several who save at once one does.
	read = c.read("/models/walk.yaml")
	var saved atomic.Int64
	var savers sync.WaitGroup
	for i := range 8 {
		savers.Go(func() {
			answer, _ := c.ask("POST", "/models/walk.yaml",
				url.Values{"do": {"save"}, "source": {fmt.Sprintf("%s# %d\n", small, i)}, "read": {read}})
			if answer.StatusCode == http.StatusSeeOther {
				saved.Add(1)
			} else if answer.StatusCode != http.StatusConflict {
				t.Error(answer.Status)
			}
		})
	}
	if savers.Wait(); saved.Load() != 1 {
		t.Errorf("%d have saved", saved.Load())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// The examples cannot be written.
	examples := serve(t, page.Config{})
	if _, body := examples.want(http.StatusForbidden, "POST", "/models/sir.yaml",
		url.Values{"do": {"save"}, "source": {small}, "read": {examples.read("/models/sir.yaml")}}); !strings.Contains(body,
		"cannot be written") {
		t.Errorf("%.500s", body)
	}
}

// Values are written where they stand; comments and layout stay.
func TestWriteValues(t *testing.T) {
	c, dir := directory(t, map[string]string{"walk.yaml": small})
	read := c.read("/models/walk.yaml")
	c.want(http.StatusSeeOther, "POST", "/models/walk.yaml", url.Values{"do": {"values"}, "source": {small},
		"read": {read}, "set.speed": {"0.7 per day"}})
	text, _ := os.ReadFile(filepath.Join(dir, "walk.yaml"))
	if want := strings.Replace(small, "0.5 per day", "0.7 per day", 1); string(text) != want {
		t.Errorf("%s", text)
	}
	// What cannot be a value is not written.
	_, body := c.want(http.StatusUnprocessableEntity, "POST", "/models/walk.yaml", url.Values{"do": {"values"},
		"source": {string(text)}, "read": {c.read("/models/walk.yaml")}, "set.speed": {"fast"}})
	if !strings.Contains(body, "fast") {
		t.Errorf("%.500s", body)
	}
	if again, _ := os.ReadFile(filepath.Join(dir, "walk.yaml")); string(again) != string(text) {
		t.Errorf("%s", again)
	}
}

// What is in a file is text in the page, whatever it is.
func TestMarkup(t *testing.T) {
	const nasty = `</textarea><script>alert(1)</script><img src=x onerror=alert(1)>"&`
	good := "# " + nasty + "\nabout: '" + nasty + "'\n" + strings.Replace(small, "to: b}", "to: b, name: '"+nasty+"'}", 1)
	bad := strings.NewReplacer("a: {race", "'"+nasty+"': {race", "to: b", "to: '"+nasty+"'").Replace(small)
	c, _ := directory(t, map[string]string{"<i>.yaml": good, "bad.yaml": bad})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/runs", url.Values{"path": {"<i>.yaml"}})
	run := answer.Header.Get("Location")
	c.done(run)
	clean := func(at, body string) {
		for _, part := range []string{"<script>alert", "<img src=x", "<i>.yaml"} {
			if strings.Contains(body, part) {
				t.Errorf("%s has %s", at, part)
			}
		}
	}
	for _, at := range []string{"/", "/models/" + url.PathEscape("<i>.yaml"), "/models/bad.yaml", run, "/runs"} {
		_, body := c.want(http.StatusOK, "GET", at, nil)
		clean(at, body)
	}
	for _, path := range []string{"<i>.yaml", "bad.yaml"} {
		_, body := c.want(http.StatusOK, "POST", "/check", url.Values{"path": {path}})
		clean("/check", body)
	}
	_, body := c.want(http.StatusUnprocessableEntity, "POST", "/runs", url.Values{"path": {"bad.yaml"}})
	clean("/runs", body)
}

// A file of a study is handed on piece by piece, however long it is.
func TestLongFile(t *testing.T) {
	c, dir := directory(t, map[string]string{"fitted/posterior.csv": "beta\n"})
	const long = 80 << 20
	if err := os.Truncate(filepath.Join(dir, "fitted/posterior.csv"), long); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer, err := c.http.Get(c.base + "/study-files/posterior.csv?dir=fitted")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; n != long || err != nil || taken > 8<<20 {
		t.Errorf("%d bytes of %s, %v, for %d bytes of memory", n, answer.Status, err, taken)
	}
}
