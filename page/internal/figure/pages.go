package figure

import (
	"net/url"
	"strconv"
	"strings"
)

// MaxCharts is the number of charts in a page. Each takes 0.2 MB with its table, and 1 to 2 ms to
// render.
const MaxCharts = 24

// A Page is a range of many charts, with links to the others.
type Page struct {
	First, Last   int // numbers, from 1, among those found
	Found, All    int
	Find          string // text in their names
	Before, After string
	Names         []chartLink
}

type chartLink struct{ Name, Link string }

// name identifies a chart among many.
func (f Figure) name() string {
	if f.Group == "" {
		return f.Caption
	}
	return f.Group + ": " + f.Caption
}

// Paginate selects the charts of a page: those with the text "find" of the query in their names,
// from number "charts". The Page is nil if all charts fit in one.
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
