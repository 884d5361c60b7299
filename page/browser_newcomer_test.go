package page_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// Somebody new, with a keyboard alone: past the navigation, to a model, to a run; back and forward,
// and loading the page anew while it goes on, lose nothing; it is stopped by its button. What has
// the focus is seen.
func TestKeyboardInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.size(1280, 800, "light")
	focused := func(selector string) {
		t.Helper()
		v.until(`document.activeElement?.matches("` + selector + `")`)
		if outline := eval[string](v, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" {
			t.Errorf("nobody sees that %s has the focus", selector)
		}
	}
	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			v.do(chromedp.KeyEvent(key))
		}
	}
	v.get("/")
	v.until(`document.readyState === "complete"`)
	press("\t")
	focused(".skip")
	press("\r", "\t")
	focused(".cards li:first-child a")
	press("\r")
	v.until(`document.querySelector("form[data-model] .gutter span")`)

	v.get("/capped")
	v.until(`document.readyState === "complete"`)
	// it goes on until it is stopped
	v.do(chromedp.SetValue(chromedp.CSS("[name=rounds]"), "20000"), chromedp.Focus(chromedp.CSS("[name=bins]")))
	press("\t", "\t", "\t", "\t", "\t", "\t", "\t") // capacity, rate, choices, arrivals, rounds, burn-in, seed
	focused("[name=seed]")
	press("\t")
	focused("[name=pace]")
	press("2", "0") // a list is chosen from by typing
	v.until(`document.activeElement.value === "20"`)
	press("\t", " ", "\t")
	focused("button.main")
	press("\r")
	v.until(`location.pathname === "/runs/1" && ` + chart("pool", `g.line[data-series="0"] path`))
	v.do(chromedp.Reload())
	v.until(`/round \d+ of/.test(document.querySelector("[data-note-now]")?.textContent) && ` +
		chart("pool", `g.line[data-series="0"] path`))
	round := eval[string](v, `document.querySelector("[data-note-now]").textContent`)
	v.until(`document.querySelector("[data-note-now]").textContent !== ` + asString(round))
	v.do(chromedp.NavigateBack())
	v.until(`location.pathname === "/capped" && document.querySelector("[name=pace]").value === "20"`)
	v.do(chromedp.NavigateForward())
	v.until(`location.pathname === "/runs/1" && document.querySelector("[data-state=running]")`)
	before := eval[string](v, `document.querySelector("[data-note-now]").textContent`)
	v.until(`document.querySelector("[data-note-now]").textContent !== ` + asString(before))
	v.do(chromedp.Focus(chromedp.CSS("[data-stop] button")))
	press("\r")
	v.until(`document.querySelector("[data-state=stopped] .files, [data-state=stopped] .figures")`)
}

// Who watches is told that the connection is lost, and the run goes on when there is one again. A
// server that is killed and started anew: who watches is told that the connection is lost, and then
// that the run is gone, although there is another one of the same number, which is not shown in its
// place.
func TestRestartInBrowser(t *testing.T) {
	t.Parallel()
	// One address for both servers, which nobody else can take in between: while there is no
	// server, it hangs up.
	var now atomic.Pointer[page.Server]
	address := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := now.Load()
		if s == nil {
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	defer func() { // whichever server there is: one that goes on would let a test that fails wait for it
		if s := now.Load(); s != nil {
			s.Close()
		}
		address.CloseClientConnections()
		address.Close()
	}()
	start := func() (kill func()) {
		t.Helper()
		s, err := page.New(page.Config{Files: examples.Files(), About: "the examples", Dir: "examples"})
		if err != nil {
			t.Fatal(err)
		}
		now.Store(s)
		answer, err := http.PostForm(address.URL+"/capped", balls("pace", "20", "rounds", "20000"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.Request.URL.Path != "/runs/1" {
			t.Fatalf("the run is at %s", answer.Request.URL)
		}
		return func() { now.Store(nil); address.CloseClientConnections(); s.Close() }
	}
	v := visit(t, page.Config{})
	v.base = address.URL
	kill := start()
	v.get("/runs/1")
	v.until(chart("pool", `g.line[data-series="0"] path`))
	v.do(chromedp.Evaluate[chromedp.Void]("void (window.stays = true)"))

	// The connection is lost, and the server is not: the page says so, and goes on when it hears
	// again.
	server := now.Swap(nil)
	address.CloseClientConnections()
	v.until(`document.querySelector("[data-lost]").textContent.startsWith("The connection to the server is lost")`)
	was := eval[string](v, `document.querySelector("[data-note-now]").textContent`)
	now.Store(server)
	v.until(`document.querySelector("[data-lost]").hidden && document.querySelector("[data-note-now]").textContent !== ` +
		asString(was))
	kill()
	// The text of before is still there, hidden.
	v.until(`!document.querySelector("[data-lost]").hidden && ` +
		`document.querySelector("[data-lost]").textContent.startsWith("The connection to the server is lost")`)
	round := eval[string](v, `document.querySelector("[data-note-now]").textContent`)
	defer start()()
	v.until(`document.querySelector("[data-lost]").textContent.startsWith("The server does not know this run any more")`)
	if now := eval[string](v, `window.stays && document.querySelector("[data-note-now]").textContent`); now != round {
		t.Errorf("another run is shown: %s, and before %s", now, round)
	}
	v.expect("410") // of the browser, about the run that is gone
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, h := range v.heard {
		// A run that is stopped with the server has no pictures of its measured rounds.
		stopped := strings.Contains(h, "404") && strings.Contains(h, "/figures/")
		if !strings.Contains(h, "net::ERR_") && !strings.Contains(h, "410") && !stopped {
			t.Errorf("the browser complains: %s", h)
		}
	}
	v.heard = nil
}
