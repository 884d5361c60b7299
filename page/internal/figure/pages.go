package figure

import (
	"net/url"
	"strconv"
	"strings"
)

// Of many charts a page has some, and leads to the others: each takes a fifth of a megabyte with
// its table, and a millisecond or two to draw.

// MaxCharts is how many charts a page has.
const MaxCharts = 24

// A Page is which of many charts a page has. Before and After are the addresses of the pages
// with those before and after, or empty.
type Page struct {
	First, Last   int // by number, among those found
	Found, All    int
	Find          string // what is in the names of those found
	Before, After string
	Names         []chartLink
}

// A chartLink leads to a chart.
type chartLink struct{ Name, Link string }

// name is what a chart is called among many.
func (f Figure) name() string {
	if f.Group == "" {
		return f.Caption
	}
	return f.Group + ": " + f.Caption
}

// Paginate are the charts of a page: those with something in their names, if the address asks for
// that (find), from one on, by number (charts). It has nothing to say of charts that a page has
// room for.
func Paginate(all []Figure, query url.Values) ([]Figure, *Page) {
	if len(all) <= MaxCharts {
		return all, nil
	}
	p := &Page{All: len(all), Find: strings.TrimSpace(query.Get("find"))}
	link := func(first int, find string) string {
		q := url.Values{"charts": {strconv.Itoa(first)}}
		if find != "" {
			q.Set("find", find)
		}
		return "?" + q.Encode()
	}
	found := all
	if p.Find != "" {
		found = nil
		for _, f := range all {
			if strings.Contains(strings.ToLower(f.name()), strings.ToLower(p.Find)) {
				found = append(found, f)
			}
		}
	}
	p.Found = len(found)
	first, err := strconv.Atoi(query.Get("charts"))
	if err != nil || first < 1 || first > len(found) {
		first = 1
	}
	p.First, p.Last = min(first, len(found)), min(first+MaxCharts-1, len(found))
	if first > 1 {
		p.Before = link(max(1, first-MaxCharts), p.Find)
	}
	if p.Last < len(found) {
		p.After = link(p.Last+1, p.Find)
	}
	for i, f := range all {
		p.Names = append(p.Names, chartLink{f.name(), link(i/MaxCharts*MaxCharts+1, "") + "#figure-" +
			url.PathEscape(f.ID)})
	}
	return found[first-1 : p.Last], p
}
