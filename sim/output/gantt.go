package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/sim/history"
)

const (
	mostRows = 40   // units of a Gantt chart, all resources together; of more, the first
	mostBars = 2000 // bars; of more, those that begin first
)

// Gantt draws the holdings of units: a row for each unit of a resource, and in it a bar for each
// holding, with the name of the process if there is room. A simulation does not say which of
// several units was held; the chart uses the first free one. A bar that ends with a thick edge was
// taken away.
func Gantt(title string, holdings []history.Holding) Picture {
	g := plot.Gantt{Title: legible(title), XLabel: "time"}
	var names, notes []string
	holdings = slices.SortedStableFunc(slices.Values(holdings), func(a, b history.Holding) int {
		return cmp.Compare(a.From, b.From)
	})
	bars := 0
	for i, h := range holdings {
		if bars += min(h.Units, mostRows+1); bars > mostBars {
			notes = append(notes, fmt.Sprintf("the first %d of %d who held something", i, len(holdings)))
			holdings = holdings[:i]
			break
		}
	}
	colours, of := map[string]int{}, map[string][]history.Holding{}
	lost := false
	for _, h := range holdings {
		if of[h.Resource] == nil {
			names = append(names, h.Resource)
		}
		of[h.Resource] = append(of[h.Resource], h)
		lost = lost || h.TakenAway
	}
	for _, name := range names {
		var units []plot.GanttRow
		for _, h := range of[name] {
			if _, ok := colours[h.Who]; !ok {
				colours[h.Who] = len(colours)
			}
			bar := plot.GanttBar{From: h.From, To: h.To, Text: legible(h.Who), Colour: colours[h.Who], Open: h.Held,
				Cut: h.TakenAway}
			for range min(h.Units, mostRows+1) { // one more than are drawn, to see that there are more
				i := slices.IndexFunc(units, func(r plot.GanttRow) bool {
					last := r.Bars[len(r.Bars)-1]
					return last.To <= h.From && last != bar // who holds several for no time holds several
				})
				if i < 0 && len(units) > mostRows {
					break
				}
				if i < 0 {
					units = append(units, plot.GanttRow{Name: fmt.Sprint(legible(name), " ", len(units)+1)})
					i = len(units) - 1
				}
				units[i].Bars = append(units[i].Bars, bar)
			}
		}
		if len(units) == 1 {
			units[0].Name = legible(name)
		}
		g.Rows = append(g.Rows, units...)
	}
	if lost {
		notes = append(notes, "a thick edge: taken away")
	}
	if len(g.Rows) > mostRows {
		notes = append(notes, fmt.Sprintf("the first %d units", mostRows))
		g.Rows = g.Rows[:mostRows]
	}
	g.Note = strings.Join(notes, "; ")
	return Picture{g}
}
