package compile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Mixing is a matrix of contacts, worked out for the parameters of the start.
type Mixing struct {
	Shares   [][]float64 // by group of the maker and of the one who is met; each row adds up to 1
	Rates    []float64   // contacts of somebody of each group, in the unit of the model; nil if rate gives them
	Notes    []string    // what was done to it
	Warnings []string    // what may be a mistake
}

// mixing compiles the mixing matrix: the cumulative shares of each row. If it has contacts per unit
// of time, it returns their sums as the rate of the contact, by group.
func (c *compiler) mixing(
	here eval.Scope, t *program.Phase, ct *program.Contact, text *syntax.Contact,
) (rate *syntax.Value) {
	what := text.What + ": mixing"
	if text.By.Bad {
		return nil
	}
	if c.isPresence(text.By, what+": by") {
		return nil
	}
	a := c.attribute(text.By, what+": by")
	if a < 0 || text.Matrix.Bad {
		return nil
	}
	c.program.MixesBy[a] = true
	values := c.program.Attributes[a].Values
	report := func(at diag.Place, message string) {
		here.Report(syntax.Value{At: at}, at, "%s", message)
	}
	rows, rowsAt := text.Matrix.Sorted(text.By.Name, values, report)
	switch {
	case rows == nil && text.Matrix.RowNames != nil:
		return nil
	case len(rows) != len(values):
		c.Add(text.Matrix.At, "%s: matrix: %s, expected %d, one for each of %s", what, format.Plural(len(rows), "row"),
			len(values), diag.ListNames(values))
		return nil
	}
	if !c.reserveEntries(len(values) * len(values) / 16) { // a number takes less than an entry
		return nil
	}
	ct.Attribute = a
	if !text.Matrix.CountsContacts() && c.looksLikeContacts(here, rows) {
		here.ReportTogether(text.Matrix.At, rows[0], "%s: matrix: these are numbers of contacts, and chances are expected: "+
			"write matrix: {rows: [[…], …], unit: per %s} and leave out rate, or put the sum of each row into rate, as in "+
			"rate: {by: %s, %s}, and divide the row by it", what, c.file.Unit.Name, text.By.Name, c.rowSums(here, rows, values))
		return nil
	}
	m := &Mixing{Shares: make([][]float64, len(rows))}
	good := true
	for i, row := range rows {
		if len(row) != len(values) {
			c.Add(rowsAt[i], "%s: matrix: row %d has %s, expected %d, one for each of %s", what, i+1,
				format.Plural(len(row), "number"), len(values), diag.ListNames(values))
			good = false
			continue
		}
		m.Shares[i] = make([]float64, len(row))
		for j, v := range row {
			if here.Dependence(v).Time {
				here.Report(v, v.At,
					"%s: matrix: its numbers cannot change with time by themselves; let an intervention set a "+
						"parameter that stands here", what)
			}
			var ok bool
			if text.Matrix.CountsContacts() {
				m.Shares[i][j], ok = here.Within(v, what+": matrix", quantity.Number,
					func(x float64) bool { return x >= 0 }, "a number of contacts cannot be negative")
			} else {
				m.Shares[i][j], ok = here.Chance(v, what+": matrix")
			}
			good = good && ok
		}
	}
	if !good {
		return nil
	}
	if text.Matrix.CountsContacts() {
		rate = c.contactRates(here, t, m, text, a)
	} else {
		c.checkRows(here, m, rows, what)
	}
	for _, shares := range m.Shares {
		ct.MixingRows = append(ct.MixingRows, lookup.CumulativeShares(shares))
	}
	if c.program.FirstPhase == nil { // this is the first phase
		c.mixings[text] = m
	}
	return rate
}

// looksLikeContacts reports whether numbers that should be chances are contacts: none is negative,
// one of them is more than 1, or a rate, and no row adds up to 1.
func (c *compiler) looksLikeContacts(here eval.Scope, rows [][]syntax.Value) bool {
	contacts := false
	here = here.Quiet() // problems are reported later
	for _, row := range rows {
		sum := 0.0
		for _, v := range row {
			got, _, ok := here.Resolve(v, "")
			sum += got.Quantity.Number
			switch q := got.Quantity; {
			case !ok || !got.IsQuantity() || !(q.Number >= 0):
				return false
			case q.Kind == quantity.Rate:
				contacts = true
			case q.Kind == quantity.Number:
				contacts = contacts || q.Number > 1
			case q.Kind != quantity.Share:
				return false
			}
		}
		if eval.IsOne(sum) {
			return false
		}
	}
	return contacts
}

// rowSums writes the sums of rows as the entries of a table, for a message.
func (c *compiler) rowSums(here eval.Scope, rows [][]syntax.Value, values []string) string {
	const few = 3
	var all []string
	for i, row := range rows[:min(len(rows), few)] {
		sum, unit := 0.0, c.file.Unit
		for _, v := range row {
			got, _, _ := here.Resolve(v, "")
			sum += got.Quantity.In(unit)
		}
		all = append(all, fmt.Sprintf("%s: %.6g per %s", values[i], sum, unit.Name))
	}
	if len(rows) > few {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// checkRows refuses rows of chances that do not add up to 1. Sums that differ from 1 because the
// chances are written with six digits are accepted, with a note; the rows are divided by them.
func (c *compiler) checkRows(here eval.Scope, m *Mixing, rows [][]syntax.Value, what string) {
	for i, shares := range m.Shares {
		sum := 0.0
		for _, x := range shares {
			sum += x
		}
		switch {
		case eval.IsOne(sum):
			continue
		case math.Abs(sum-1) > 1e-6*float64(len(shares)):
			here.ReportTogether(rows[i][0].At, rows[i], "%s: matrix: row %d adds up to %s, expected 1", what, i+1,
				notOne(sum))
			continue
		}
		m.Notes = append(m.Notes, fmt.Sprintf("row %d of the matrix adds up to %s and is divided by that", i+1, notOne(sum)))
		for j := range shares {
			shares[j] /= sum
		}
	}
}

// notOne writes a sum that is not 1, with as many digits as show it.
func notOne(sum float64) string {
	for digits := 6; digits < 17; digits++ {
		if text := strconv.FormatFloat(sum, 'g', digits, 64); text != "1" {
			return text
		}
	}
	return strconv.FormatFloat(sum, 'g', -1, 64)
}

// contactRates divides the rows of a matrix of contacts by their sums, and returns the sums as a
// table by group: the rate. Contacts of two groups with each other are compared, and made equal if
// the file asks for it.
func (c *compiler) contactRates(
	here eval.Scope, t *program.Phase, m *Mixing, text *syntax.Contact, a int,
) *syntax.Value {
	values := c.program.Attributes[a].Values
	sizes, known := c.sizesAtStart(t, a)
	switch {
	case known:
		c.reciprocity(m, text, values, sizes)
	case text.Matrix.Reciprocal:
		here.ReportTogether(text.Matrix.At, nil, "%s: mixing: matrix: reciprocal: it takes the numbers of each %s at the "+
			"start, and they are not known", text.What, text.By.Name)
		return nil
	}
	rate := &syntax.Value{At: text.Matrix.At, Text: "a table", Table: &syntax.Table{By: text.By}}
	one := text.Matrix.Unit.In(c.file.Unit) // contacts in the unit of the model
	for i, row := range m.Shares {
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		m.Rates = append(m.Rates, sum*one)
		if sum > 0 {
			for j := range row {
				row[j] /= sum
			}
		}
		rate.Table.Entries = append(rate.Table.Entries, syntax.TableEntry{
			Of: syntax.Ref{Name: values[i], At: text.Matrix.At},
			Value: syntax.Value{At: text.Matrix.At, Text: fmt.Sprintf("%.6g per %s", sum*one, c.file.Unit.Name),
				Quantity: quantity.Quantity{Kind: quantity.Rate, Number: sum * one, Unit: c.file.Unit}},
		})
	}
	return rate
}

// sizesAtStart returns the expected number of individuals with each value of an attribute at the
// start. It reports false if nobody is there then, or if their values cannot be worked out.
func (c *compiler) sizesAtStart(t *program.Phase, a int) ([]float64, bool) {
	if c.bands[a] != nil {
		return c.bandSizes(t, c.bands[a])
	}
	n := len(c.program.Attributes[a].Values)
	if a >= len(t.Attributes) || len(t.Attributes[a]) != n {
		return nil, false
	}
	sizes, total := make([]float64, n), 0.0
	groups := c.program.StartGroups
	if c.table() != nil {
		free := c.peopleSizes(a, sizes)
		groups, total = []program.StartGroup{{Count: free}}, float64(c.file.Size-free)
	}
	for i := range groups {
		g := &groups[i]
		count := float64(g.Count)
		total += count
		if v := g.ValueOf(a); v >= 0 {
			sizes[v] += count
			continue
		}
		before := 0.0
		for v, upTo := range t.Attributes[a] {
			upTo = min(upTo, 1) // the last is infinite
			sizes[v] += float64(count * max(upTo-before, 0))
			before = max(upTo, before)
		}
	}
	return sizes, total > 0
}

// reciprocity compares the contacts that two groups have with each other: those of i with j are as
// many as those of j with i. In a survey they are not, and reciprocal: true takes the mean of both.
func (c *compiler) reciprocity(m *Mixing, text *syntax.Contact, values []string, sizes []float64) {
	const tolerated = 0.01
	worst, words, pairs := tolerated, "", 0
	unit, _ := quantity.UnitSuffix(text.Matrix.Unit)
	for i := range m.Shares {
		for j := range m.Shares[:i] {
			there, back := float64(m.Shares[j][i]*sizes[j]), float64(m.Shares[i][j]*sizes[i])
			apart := math.Abs(there-back) / max(there, back)
			if !(apart > tolerated) || sizes[i] < 1 || sizes[j] < 1 { // of an empty group there is nothing to compare
				continue
			}
			pairs++
			if apart > worst {
				worst = apart
				words = fmt.Sprintf("%s contacts %s of %s with %s, and %s of %s with %s", format.Thousands(math.Round(there)), unit,
					values[j], values[i], format.Thousands(math.Round(back)), values[i], values[j])
			}
			if text.Matrix.Reciprocal {
				mean := (there + back) / 2
				m.Shares[j][i], m.Shares[i][j] = mean/sizes[j], mean/sizes[i]
			}
		}
	}
	of := format.Plural(pairs, "pair") + " of groups"
	switch {
	case pairs == 0:
	case text.Matrix.Reciprocal:
		m.Notes = append(m.Notes, fmt.Sprintf("contacts are made reciprocal in %s, most in: %s", of, words))
	default:
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s: mixing: matrix: contacts are not reciprocal in %s, least in: %s; "+
			"reciprocal: true takes the mean of both", text.What, of, words))
	}
}
