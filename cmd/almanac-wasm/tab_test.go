//go:build !js

package main

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A tab shows a page.
type tab struct {
	t     *testing.T
	ctx   context.Context
	mu    sync.Mutex
	loud  bool     // a program that crashes is expected
	heard []string // complaints of the browser
}

func openBrowser(t *testing.T) *tab {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser",
		"google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Fatal("there is no browser to test with: install the Debian package chromium-headless-shell (make browser does)")
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(program),
		chromedp.UserDataDir(t.TempDir()), chromedp.NoFirstRun, chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancel := chromedp.NewContext(allocator)
	v := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		stop()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, h := range v.heard {
			if v.loud {
				break
			}
			t.Errorf("the browser complains: %s", h)
		}
	})
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == "error" || m.Type == "warning" || m.Type == chromedp.ConsoleException {
				v.mu.Lock()
				v.heard = append(v.heard, fmt.Sprintf("%s: %s", m.Type, m.Text))
				v.mu.Unlock()
			}
		}
	}()
	return v
}

func (v *tab) eval(expression string) string {
	v.t.Helper()
	value, err := chromedp.Run(v.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (v *tab) until(expression string) {
	v.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if v.eval("Boolean("+expression+")") == "true" {
			return
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.t.Fatalf("%s is not so; the browser said %q; the page: %s", expression, v.heard, v.eval("document.body.innerText"))
}

// open opens a page and waits until its model is read.
func (v *tab) open(path string) {
	v.t.Helper()
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	if err := chromedp.Do(v.ctx, chromedp.Navigate(at.String())); err != nil {
		v.t.Fatal(err)
	}
	v.until(`document.body.dataset.state === "idle"`)
}
