package page_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
)

// The tests in which a browser opens pages share one process, each with a tab of its own. Whatever
// the browser has to complain about, an error of a script, a file that is not there, something that
// the policy forbids, fails the test.

// browserNames are what Debian and others call the program, and where macOS and Windows have it,
// which is not on the path there.
var browserNames = []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser",
	"google-chrome", "google-chrome-stable", "chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	os.ExpandEnv("${HOME}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
	os.ExpandEnv(`${ProgramFiles}\Google\Chrome\Application\chrome.exe`),
	os.ExpandEnv(`${ProgramFiles(x86)}\Google\Chrome\Application\chrome.exe`),
	os.ExpandEnv(`${LocalAppData}\Google\Chrome\Application\chrome.exe`),
	os.ExpandEnv(`${ProgramFiles}\Microsoft\Edge\Application\msedge.exe`),
	os.ExpandEnv(`${ProgramFiles(x86)}\Microsoft\Edge\Application\msedge.exe`)}

// browser is the process, once it is needed.
var browser = sync.OnceValues(func() (context.Context, error) {
	program := ""
	for _, name := range browserNames {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		return nil, fmt.Errorf("there is no browser to test with: install the Debian package chromium-headless-shell " +
			"(make browser does)")
	}
	dir, err := os.MkdirTemp("", "almanac-browser")
	if err != nil {
		return nil, err
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.UserDataDir(dir), chromedp.NoFirstRun,
		chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-dev-shm-usage", true)}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	endBrowser = func() { cancel(); stop(); _ = os.RemoveAll(dir) }
	return ctx, chromedp.Do(ctx)
})

var endBrowser = func() {}

func TestMain(m *testing.M) {
	status := m.Run()
	endBrowser()
	os.Exit(status)
}

// A visitor is a tab at a server.
type visitor struct {
	t      *testing.T
	ctx    context.Context
	server *page.Server
	base   string
	mu     sync.Mutex
	heard  []string // complaints
	dir    string   // where files arrive
}

// visit starts a server and opens a tab.
func visit(t *testing.T, c page.Config) *visitor {
	t.Helper()
	c.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	s, base := begin(t, c)
	s.RenderWithoutPause()
	v := &visitor{t: t, server: s, base: base}
	v.open()
	return v
}

// quickTimers lets scripts wait a twentieth of what they would.
const quickTimers = `for (const name of ["setTimeout", "setInterval"]) {
	const real = window[name];
	window[name] = (call, time, ...more) => real(call, time / 20, ...more);
}`

// open opens another tab of the same visitor.
func (v *visitor) open() {
	t := v.t
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	tab, cancel := chromedp.NewContext(parent)
	if err := chromedp.Do(tab); err != nil { // which opens it, and must not end before it does
		t.Fatal(err)
	}
	limited, end := context.WithTimeout(tab, 10*time.Minute) // for all that is done in it, however busy the machine is
	t.Cleanup(func() {
		end()
		cancel()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, h := range v.heard {
			t.Errorf("the browser complains: %s", h)
		}
		v.heard = nil
	})
	v.ctx = limited
	v.do()
	if _, err := chromedp.Call(limited, cdppage.AddScriptToEvaluateOnNewDocument,
		cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: quickTimers}); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(limited)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == "warning" || m.Type == "assert" || m.Type == chromedp.ConsoleException {
				v.mu.Lock()
				v.heard = append(v.heard, fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line+1))
				v.mu.Unlock()
			}
		}
	}()
}

// do does what a visitor does. What was made anew between the moment it was found and the click is
// looked for again: nothing has happened then.
func (v *visitor) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	for _, a := range actions {
		err := chromedp.Do(v.ctx, a)
		for v.ctx.Err() == nil && err != nil && strings.Contains(err.Error(), "ode with given id") {
			time.Sleep(20 * time.Millisecond)
			err = chromedp.Do(v.ctx, a)
		}
		if err != nil {
			v.t.Fatalf("%v; the browser said %q", err, v.heard)
		}
	}
}

// expect waits for a complaint that contains a text, and takes it off the list.
func (v *visitor) expect(text string) {
	v.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		v.mu.Lock()
		for i, h := range v.heard {
			if strings.Contains(h, text) {
				v.heard = append(v.heard[:i:i], v.heard[i+1:]...)
				v.mu.Unlock()
				return
			}
		}
		v.mu.Unlock()
	}
	v.t.Errorf("the browser did not complain of %q: %q", text, v.heard)
}

// get opens an address.
func (v *visitor) get(path string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.base + path))
}

// eval is the value of an expression.
func eval[T any](v *visitor, expression string) T {
	v.t.Helper()
	value, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: %v; the browser said %q", expression, err, v.heard)
	}
	return value
}

// until waits for an expression to be true, from one page to the next if need be.
func (v *visitor) until(expression string) {
	v.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok, err := chromedp.Run(v.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && ok {
			return
		}
	}
	body, _ := chromedp.Run(v.ctx,
		chromedp.Evaluate[string]("location.href + ' ' + document.body.innerText.slice(0, 1500)"))
	v.t.Fatalf("%s is not so; the browser said %q; the page: %s", expression, v.heard, body)
}

// size makes the window as wide as a phone or a projector, in a colour scheme.
func (v *visitor) size(width, height int, scheme string) {
	v.t.Helper()
	v.do(chromedp.EmulateViewport(int64(width), int64(height)))
	if _, err := chromedp.Call(v.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		v.t.Fatal(err)
	}
}

// downloads lets files arrive, in a directory of the test.
func (v *visitor) downloads() {
	v.t.Helper()
	v.dir = v.t.TempDir()
	if _, err := chromedp.CallBrowser(v.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: v.dir}); err != nil {
		v.t.Fatal(err)
	}
}

// arrives waits for a file that was clicked, and wants it to be a text. The browser gives it its
// name when all of it is there.
func (v *visitor) arrives(name, want string) {
	v.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		got, err := os.ReadFile(filepath.Join(v.dir, name))
		if err == nil && string(got) == want {
			return
		}
		if time.Now().After(deadline) {
			there, _ := os.ReadDir(v.dir)
			v.t.Fatalf("%s has not arrived: %v, %v, %q, want %q", name, err, there, got, want)
		}
	}
}

// someFiles are files in memory.
func someFiles(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}
