package main

import (
	"bytes"
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/page"
)

// What the page shows of studies are the numbers of the command, byte for byte: each test starts a
// study on the page, gives the command line that the page shows to the command, and compares the
// tables of both.

// A pageUser asks a page without a script.
type pageUser struct {
	t    *testing.T
	base string
}

func openPage(t *testing.T, dir string) *pageUser {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := page.New(page.Config{Files: root.FS(), Root: root, About: dir, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); server.Close(); root.Close() })
	return &pageUser{t, server.URL}
}

// get is what an address of the page has.
func (u *pageUser) get(path string) string {
	u.t.Helper()
	r, err := http.Get(u.base + path)
	if err != nil {
		u.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		u.t.Fatalf("%s: %s %v\n%s", path, r.Status, err, body)
	}
	return string(body)
}

// start sends a form, waits until what it starts is done, and gives the address of that and the
// command that the page shows.
func (u *pageUser) start(path string, form url.Values) (run string, command []string) {
	u.t.Helper()
	r, err := http.PostForm(u.base+path, form)
	if err != nil {
		u.t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	r.Body.Close()
	run = r.Request.URL.Path
	if !strings.HasPrefix(run, "/runs/") {
		u.t.Fatalf("no run: %s %s\n%s", r.Status, run, body)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		body := u.get(run)
		switch state := regexp.MustCompile(`data-state="(\w+)"`).FindStringSubmatch(body)[1]; state {
		case "waiting", "running":
		case "done":
			return run, format.Words(
				html.UnescapeString(regexp.MustCompile(`(?s)<code data-command>(.*?)</code>`).FindStringSubmatch(body)[1]))
		default:
			u.t.Fatalf("the run is %s: %s", state, regexp.MustCompile(`(?s)data-why.*?</p>`).FindString(body))
		}
	}
	u.t.Fatal("it does not end")
	return "", nil
}

// again gives a command of the page to the command, with a directory for what it writes.
func again(t *testing.T, command []string, more ...string) (out string) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	out = filepath.Join(t.TempDir(), "out")
	args := append(append(command[1:len(command):len(command)], "--out", out), more...)
	if status := run(context.Background(), args, log, log); status != 0 {
		text, _ := os.ReadFile(log.Name())
		t.Fatalf("%q: status %d\n%s", args, status, text)
	}
	return out
}

// sameFile wants what the page gives to be what the command wrote.
func sameFile(t *testing.T, got, file string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(got), want) || len(want) == 0 {
		t.Errorf("%s: the page has\n%s\nand the command\n%s", filepath.Base(file), got, want)
	}
}

// modelIn copies an example with its tables to a directory.
func modelIn(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Scenarios on the page are those of almanac compare; what the command wrote is shown with the same
// tables, and run once more from there it gives the same.
func TestPageComparesAsTheCommand(t *testing.T) {
	dir := t.TempDir()
	modelIn(t, dir, "outbreak.yaml", "outbreak.csv")
	u := openPage(t, dir)
	run, command := u.start("/compare", url.Values{"path": {"outbreak.yaml"}, "scenarios": {"as it was", "half closed"},
		"first": {"half closed"}, "seed": {"3"}, "replicas": {"7"},
		"size": {"2000"}, "set.beta": {"0.6 per day"}, "outputs": {"peak(infectious)\nfinal(susceptible)"}})
	out := again(t, command)
	same := func(run string) {
		t.Helper()
		for _, name := range []string{"differences.csv", "scenarios.csv", "comparison.json", "pairs.csv", "series.csv",
			"series-differences.csv"} {
			sameFile(t, u.get(run+"/files/"+name), filepath.Join(out, name))
		}
	}
	same(run)
	if text, err := os.ReadFile(filepath.Join(out, "differences.csv")); err != nil || !strings.Contains(string(text),
		"as it was,final(susceptible),") {
		t.Errorf("half closed is not the first: %v\n%s", err, text)
	}
	if err := os.CopyFS(filepath.Join(dir, "compared"), os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	here, there := u.get(run), u.get("/comparisons/compared")
	table := regexp.MustCompile(`(?s)<table><caption>as it was against half closed: .*?</table>`)
	if want := table.FindString(here); want == "" || !strings.Contains(want, "least to most of 7 paired runs") ||
		table.FindString(there) != want {
		t.Errorf("the page has the table\n%s\nand of the directory\n%s", want, table.FindString(there))
	}
	if want := "half closed, as it was, 2,000 individuals, 7 replicas of each, seed 3, " +
		"beta = 0.6 per day</p>"; !strings.Contains(there, want) {
		t.Errorf("no %s in %s", want, there)
	}
	if got, want := u.get("/study-files/comparison.json?dir=compared"), u.get(run+"/files/comparison.json"); got != want {
		t.Errorf("of the directory\n%s\nand of the page\n%s", got, want)
	}
	for _, figure := range []string{"forest", "difference-0", "difference-incidence-0", "state-1", "incidence-1"} {
		if got, want := u.get("/comparison-figures/"+figure+".csv?dir=compared"), u.get(run+"/figures/"+figure+
			".csv"); got != want || len(want) < 100 {
			t.Errorf("%s: of the directory\n%s\nand of the page\n%s", figure, got, want)
		}
	}
	form := url.Values{}
	for _, m := range regexp.MustCompile(`(?s)<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(
		there[strings.Index(there, `action="/compare">`):], -1) {
		form.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	once, _ := u.start("/compare", form)
	if once == run {
		t.Error("it is not run once more")
	}
	same(once)
}

// A sweep on the page is that of almanac sweep; what the command wrote is shown, too. A cell opens
// its run: of a sweep of the page it is run once more, of one in a directory what was written down
// is shown, and both are the same to the last digit.
func TestPageSweepsAsTheCommand(t *testing.T) {
	dir := t.TempDir()
	modelIn(t, dir, "outbreak.yaml", "outbreak.csv")
	u := openPage(t, dir)
	run, command := u.start("/sweeps", url.Values{"path": {"outbreak.yaml"}, "vary": {"beta", "closing"},
		"values": {"0.3..0.5 per day by 0.1", "0%, 50%"}, "seed": {"3"}, "replicas": {"4"}, "size": {"500"},
		"outputs": {"peak(infectious)\nfinal(recovered) / final(total)"}})
	out := again(t, command)
	sameFile(t, u.get(run+"/files/points.csv"), filepath.Join(out, "points.csv"))
	here := u.get(run)
	// The same in a directory of the page.
	saved := filepath.Join(dir, "swept")
	if err := os.CopyFS(saved, os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	there := u.get("/sweeps/swept")
	cell := regexp.MustCompile(`<a href="([^"]*)" data-at="[0-9]+ [0-9]+" aria-label="beta \(per day\) 0.4, closing ` +
		`\(%\) 50: ([^"]*)"`)
	var value string
	for where, body := range map[string]string{run + "/points/3": here, "/sweep-points/swept?point=3": there} {
		found := cell.FindStringSubmatch(body)
		if found == nil || strings.Count(body, `class="cells"`) != 2*6 {
			t.Fatalf("%s: there are no maps, or not the cell of 0.4 and 50 %%", where)
		}
		if value = found[2]; html.UnescapeString(found[1]) != where {
			t.Errorf("the cell leads to %s and not to %s", found[1], where)
		}
	}
	one, command := u.start(run+"/points/3", nil)
	if got := strings.Join(command, " "); !strings.HasSuffix(got,
		"outbreak.yaml --seed 3 --replicas 4 --size 500 --set beta=0.4 per day --set closing=50%") {
		t.Errorf("the run of the cell is %s", got)
	}
	page := u.get("/sweep-points/swept?point=3")
	if !strings.Contains(page, "beta = 0.4 per day, closing = 50%") ||
		!strings.Contains(page, "point 4 of 6, 4 replicas, seed 3") || !strings.Contains(page, value) {
		t.Errorf("the page of the cell is that of another, or without %s", value)
	}
	if got, want := u.get("/point-figures/states.csv?dir=swept&point=3"), u.get(one+"/figures/states.csv"); got != want ||
		len(got) < 1000 {
		t.Errorf("what was written down of the cell is not its run:\n%.300s\n%.300s", got, want)
	}
	if again, _ := u.start("/sweep-points/swept?point=3", nil); again == one {
		t.Error("a model of another place is taken for the same")
	}
	if again, _ := u.start(run+"/points/3", nil); again != one {
		t.Error("a cell that was opened before is run once more")
	}
	if !strings.Contains(u.get("/studies"), `href="/sweeps/swept"`) {
		t.Error("the directory is not listed")
	}
	// The map is the one that the command draws, but for what stands above it.
	drawn, err := os.ReadFile(filepath.Join(out, "map-peak-infectious.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if got := u.get(run + "/figures/map-0.svg"); got != string(drawn) {
		t.Error("the map as a file is another than the command's")
	}
}

// A fit that the command wrote is shown with its charts, and projections from its posterior are
// those of almanac run --from.
func TestPageProjectsAsTheCommand(t *testing.T) {
	dir := t.TempDir()
	modelIn(t, dir, "outbreak.yaml", "outbreak.csv")
	again(t, []string{"almanac", "fit", filepath.Join(dir, "outbreak.yaml"), "--budget", "400", "--seed", "2"}, "--out",
		filepath.Join(dir, "fitted"))
	u := openPage(t, dir)
	if !strings.Contains(u.get("/studies"), `href="/fits/fitted"`) {
		t.Error("the directory is not listed")
	}
	body := u.get("/fits/fitted")
	for _, want := range []string{"<h3>cases</h3>", "<h3>beta, prior: uniform 0.1..1.5</h3>", "threshold of the distance",
		"predicted, 90 %", `class="chart"`, "almanac fit ", `name="scenario"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page of the fit has no %s", want)
		}
	}
	if strings.Count(body, `class="chart"`) < 3+3+2 || strings.Count(body, `class="chart"`) != strings.Count(body,
		"data-numbers") {
		t.Error("there are too few charts, or one is without a table")
	}
	if csv := u.get("/fit-figures/predictive-0.csv?dir=fitted"); !strings.HasPrefix(csv,
		"series,x,y,low,high\n\"predicted, 90 %\",") && !strings.Contains(csv, "data,") {
		t.Errorf("%.200s", csv)
	}
	run, command := u.start("/fits/fitted", url.Values{"seed": {"5"}, "replicas": {"6"}, "scenario": {"half closed"}})
	out := again(t, command)
	for _, name := range []string{"series.csv", "flows.csv"} {
		sameFile(t, u.get(run+"/files/"+name), filepath.Join(out, name))
	}
	if !slices.Contains(command, "--from") || !strings.Contains(u.get(run), "parameters from a posterior") {
		t.Errorf("nothing is drawn: %q", command)
	}
}
