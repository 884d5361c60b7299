package page_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/page"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/reproduce/papers"
)

// quickClaim is a claim that is checked in a moment.
const quickClaim = "capped-equation-10"

// All claims are there with what was found before, and one that is checked here has the checks and
// the verdict that the library finds with the same seed.
func TestPapers(t *testing.T) {
	c := serve(t, page.Config{})
	_, body := c.want(http.StatusOK, "GET", "/papers", nil)
	for _, claim := range papers.Claims() {
		if !strings.Contains(body, `<a href="/papers/`+claim.Name+`">`) {
			t.Errorf("there is no %s", claim.Name)
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/papers/"+quickClaim, nil); !strings.Contains(body, "Check it here") {
		t.Error("it cannot be checked")
	}
	answer, _ := c.want(http.StatusSeeOther, "POST", "/papers/"+quickClaim, url.Values{"seed": {"2"}})
	run := answer.Header.Get("Location")
	body = c.done(run)
	_, text := c.want(http.StatusOK, "GET", run+"/files/"+quickClaim+".json", nil)
	var got reproduce.Report
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Results) != 1 {
		t.Fatalf("%v, %.300s", err, text)
	}
	for _, claim := range papers.Claims() {
		if claim.Name != quickClaim {
			continue
		}
		want, err := reproduce.Run(context.Background(), []reproduce.Claim{claim}, reproduce.Options{Seed: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.Results[0]; r.Verdict != want[0].Verdict || len(r.Checks) != len(want[0].Checks) || len(r.Checks) == 0 ||
			r.Checks[0].Measured != want[0].Checks[0].Measured {
			t.Errorf("%+v, want %+v", r.Checks, want[0].Checks)
		}
		for _, words := range []string{`data-state="done"`, "almanac reproduce " + quickClaim + " --seed 2",
			string(want[0].Verdict), "Checks: the verdict follows from them alone", `class="chart"`} {
			if !strings.Contains(body, words) {
				t.Errorf("the page has no %s", words)
			}
		}
	}
	if _, body := c.want(http.StatusOK, "GET", "/papers", nil); !strings.Contains(body, "checked here: done") {
		t.Error("the list does not tell that it was checked")
	}
	c.want(http.StatusNotFound, "GET", "/papers/none", nil)
	c.want(http.StatusNotFound, "POST", "/papers/none", url.Values{})
	c.want(http.StatusUnprocessableEntity, "POST", "/papers/"+quickClaim, url.Values{"seed": {"x"}})
}

// A report below the directory is listed, and its verdicts are shown, marked where they differ from
// what was found before.
func TestSavedReport(t *testing.T) {
	claim := papers.Claims()[0]
	other := reproduce.Undecided
	if claim.Found == other {
		other = reproduce.Holds
	}
	report := &reproduce.Report{Provenance: reproduce.Provenance{Machine: "a <machine>", Command: "almanac reproduce"},
		Results: []reproduce.Result{
			{Name: claim.Name, Verdict: other, Measured: "one half", Checks: []reproduce.Check{
				{What: "a check", Kind: reproduce.Control}},
				Tables: []reproduce.Table{{Name: "numbers", Columns: []string{"x"}, Rows: [][]float64{{4.5}}}}}}}
	var b strings.Builder
	if err := report.JSON(&b); err != nil {
		t.Fatal(err)
	}
	c := serve(t, page.Config{Files: someFiles(map[string]string{"out & more/claims.json": b.String(),
		"bad/claims.json": "{}", "clinic/report.json": "[]"})})
	if _, body := c.want(http.StatusOK, "GET", "/papers", nil); !strings.Contains(body,
		`<a href="/papers?report=out&#43;%26&#43;more%2Fclaims.json">`) &&
		!strings.Contains(body, `<a href="/papers?report=out+%26+more%2Fclaims.json">`) {
		t.Errorf("%.1500s", body)
	}
	const in = "?report=out+%26+more%2Fclaims.json"
	_, body := c.want(http.StatusOK, "GET", "/papers"+in, nil)
	if !strings.Contains(body, "found before: "+string(claim.Found)) || !strings.Contains(body, "a &lt;machine&gt;") ||
		!strings.Contains(body, "1 claim (") || strings.Contains(body, papers.Claims()[1].Name+"?") {
		t.Errorf("%.3000s", body)
	}
	if _, body := c.want(http.StatusOK, "GET", "/papers/"+claim.Name+in, nil); !strings.Contains(body, "one half") ||
		!strings.Contains(body, "a check") || !strings.Contains(body, "4.5") {
		t.Errorf("%.3000s", body)
	}
	c.want(http.StatusUnprocessableEntity, "GET", "/papers?report=bad/claims.json", nil)
	c.want(http.StatusNotFound, "GET", "/papers?report=../claims.json", nil)
}

// In a browser, at three sizes.
func TestPapersInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.get("/papers/" + quickClaim)
	v.do(chromedp.Click(chromedp.CSS("button.main")))
	v.until(`document.querySelector("[data-state=done]") && document.querySelector(".tables td")`)
	v.look("claim-run", eval[string](v, "location.pathname"))
	v.look("claim", "/papers/"+quickClaim)
	verdict := eval[string](v, `document.querySelector(".verdict").textContent`)
	v.look("papers", "/papers")
	shown := eval[map[string]string](v, `Object.fromEntries([...document.querySelectorAll(".claims li")].map(l => `+
		`[l.querySelector("a").getAttribute("href"), l.querySelector(".verdict")?.textContent ?? ""]))`)
	for _, claim := range papers.Claims() {
		if got := shown["/papers/"+claim.Name]; got != string(claim.Found) {
			t.Errorf("the verdict of %s is %q, and was found to be %q", claim.Name, got, claim.Found)
		}
		if claim.Name == quickClaim && verdict != string(claim.Found) {
			t.Errorf("on its own page it is %q", verdict)
		}
	}
}
