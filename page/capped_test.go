package page_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/page"
)

// balls is a form of a process, with some fields other than usual.
func balls(pairs ...string) url.Values {
	form := url.Values{"process": {"capped"}, "bins": {"1000"}, "capacity": {"2"}, "choices": {"2"}, "rate": {"0.9"},
		"arrivals": {"exact"}, "rounds": {"500"}, "seed": {"3"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// A process on the page has the numbers of the library with the same seed, and theory beside them.
func TestCapped(t *testing.T) {
	c := serve(t, page.Config{})
	if _, body := c.want(http.StatusOK, "GET", "/capped", nil); !strings.Contains(body, `name="bins" value="32768"`) {
		t.Error("the form has no number of bins")
	}
	answer, _ := c.want(http.StatusSeeOther, "POST", "/capped", balls())
	run := answer.Header.Get("Location")
	body := c.done(run)
	m, err := capped.Measure(context.Background(), capped.Config{Bins: 1000, Capacity: 2, Rate: 0.9, Seed: 3},
		capped.Plan{Rounds: 500})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Command  string
		Measured struct {
			Pool  struct{ Mean float64 } `json:"pool_per_bin"`
			Waits []int
		}
		Limit struct {
			Pool float64 `json:"pool_per_bin"`
		}
		Bound struct {
			Pool float64 `json:"pool_per_bin"`
		}
	}
	_, text := c.want(http.StatusOK, "GET", run+"/files/capped.json", nil)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	pool, _ := capped.MeanField(2, 0.9)
	if got.Measured.Pool.Mean != m.Pool.Mean/1000 || len(got.Measured.Waits) != len(m.Waits) || got.Limit.Pool != pool ||
		got.Bound.Pool != capped.PoolBound(1000, 2, 0.9)/1000 {
		t.Errorf("%+v, want %+v", got, m)
	}
	command := "almanac capped --bins 1000 --rate 0.9 --rounds 500 --seed 3"
	for _, want := range []string{`data-state="done"`, command, "Sweet spot of CAPPED", "Theorem 2", "limit of many bins",
		"mean (least–most) of the rounds"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, figure := range []string{"pool", "loads", "waits", "waiting"} {
		for _, ending := range []string{"svg", "png", "csv", "json"} {
			c.want(http.StatusOK, "GET", run+"/figures/"+figure+"."+ending, nil)
		}
	}
	if _, rows := c.want(http.StatusOK, "GET", run+"/files/rounds.csv", nil); !strings.HasPrefix(rows,
		"round,arrived,thrown") || strings.Count(rows, "\n") < 500 {
		t.Errorf("%.100s", rows)
	}
	if _, again := c.want(http.StatusOK, "GET", "/capped?"+balls("capacity", "7").Encode(), nil); !strings.Contains(again,
		`name="capacity" value="7"`) {
		t.Error("what was asked for is not in the form again")
	}
}

// All kinds run, and a batch has its own page.
func TestCappedKinds(t *testing.T) {
	c := serve(t, page.Config{})
	for want, form := range map[string]url.Values{
		"modcapped with capacity 2":             balls("process", "modcapped", "bins", "64", "rounds", "50"),
		"greedy with 3 choices":                 balls("process", "greedy", "choices", "3"),
		"threshold, 1 accepted in a round":      balls("process", "threshold", "capacity", "1", "rate", "1", "rounds", ""),
		"capped with capacity 2":                balls("warm", "1", "arrivals", "poisson"),
		"capped with capacity 1</h1>":           balls("capacity", "1", "bins", "1"),
		"almanac capped --bins 10 --rounds 500": balls("bins", "10", "rate", "0.99", "seed", "1"),
		"--process threshold --bins 10":         balls("process", "threshold", "bins", "10", "rate", "1e-9", "rounds", ""),
	} {
		answer, _ := c.want(http.StatusSeeOther, "POST", "/capped", form)
		body := c.done(answer.Header.Get("Location"))
		if !strings.Contains(body, want) || !strings.Contains(body, `data-state="done"`) {
			t.Errorf("no %s in %.3000s", want, body)
		}
	}
}

// What is too much or makes no sense is said beside the form, which keeps what was typed.
func TestCappedRefused(t *testing.T) {
	c := serve(t, page.Config{})
	for want, form := range map[string]url.Values{
		"Bins: &#34;1e9&#34; is not a number of bins": balls("bins", "1e9"),
		"Rate: &#34;2&#34; brings as many balls":      balls("rate", "2"),
		"is more than is run here":                    balls("rate", "1-2^-40"),
		"Rounds: these are":                           balls("rounds", "", "rate", "1-2^-16"),
		"Capacity: ":                                  balls("capacity", "1e6"),
		"Choices: ":                                   balls("process", "greedy", "choices", "0"),
		"Seed: ":                                      balls("seed", "-1"),
		"Pace: ":                                      balls("pace", "0.001"),
		"Process: there is no":                        balls("process", "x"),
		"modcapped throws each ball":                  balls("process", "modcapped", "bins", "2^15", "rounds", "1e6"),
		"throws each ball, at least 50,": balls("process", "modcapped", "bins", "2^15", "capacity", "256",
			"rounds", "4000", "burn-in", "0"),
	} {
		if _, body := c.want(http.StatusUnprocessableEntity, "POST", "/capped", form); !strings.Contains(body, want) ||
			!strings.Contains(body, `value="`+form.Get("bins")+`"`) {
			t.Errorf("no %q in %.2000s", want, body)
		}
	}
}

// Round by round, at a pace to watch: bars and lines change without the page being loaded again,
// and it can be stopped.
func TestCappedInBrowser(t *testing.T) {
	t.Parallel()
	v := visit(t, page.Config{})
	v.size(1024, 900, "light")
	v.get("/capped")
	v.do(chromedp.SetValue(chromedp.CSS("[name=pace]"), "20"), chromedp.SetValue(chromedp.CSS("[name=bins]"), "2^10"),
		chromedp.Click(chromedp.CSS("button.main")))
	v.until(`location.pathname === "/runs/1"`)
	v.do(chromedp.Evaluate[chromedp.Void]("void (window.stays = true)"))
	for _, figure := range []string{"pool", "loads"} {
		v.until(chart(figure, `g.line[data-series="0"] path`))
		before := eval[string](v, chart(figure, `g.line[data-series="0"] path`)+`.getAttribute("d")`)
		v.until(chart(figure, `g.line[data-series="0"] path`) + `?.getAttribute("d") !== ` + asString(before))
	}
	v.until(`/round \d+ of [\d,]+/.test(document.querySelector("[data-note-now]").textContent)`)
	// The limit of many bins stands beside what is measured.
	for _, figure := range []string{"pool", "loads", "waits"} {
		v.until(`(i => i > 0 && ` + chart(figure, "svg.chart") +
			`.querySelector('g.line[data-series="' + i + '"] path'))([...document.querySelectorAll("[data-figure=` + figure +
			`] .lines .name")].findIndex(n => n.textContent.startsWith("limit")))`)
	}
	v.do(chromedp.Click(chromedp.CSS("[data-figure=waits] [data-log]"))) // which is on by itself
	v.until(chart("waits", "svg.chart") + `.dataset.log === ""`)
	v.do(chromedp.Click(chromedp.CSS("[data-stop] button")))
	v.until(`document.querySelector("[data-state=stopped] [data-figure=waits]")`) // what was seen stays
	if !eval[bool](v, "window.stays") {
		t.Error("the page was loaded again")
	}
}

// asString is a text as an expression.
func asString(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Of very many rounds not each is recorded. Before the first of them that is, there is nothing to
// see, and no error.
func TestCappedBeforeFirstRow(t *testing.T) {
	c := serve(t, page.Config{})
	answer, _ := c.want(http.StatusSeeOther, "POST", "/capped", balls("pace", "5", "rounds", "1000000"))
	run := answer.Header.Get("Location")
	for body := ""; !strings.Contains(body, " of 1,0"); { // a round is over
		_, body = c.want(http.StatusOK, "GET", run, nil)
	}
	c.want(http.StatusOK, "GET", run, nil)
	c.want(http.StatusSeeOther, "POST", run+"/stop", nil)
}
