package explain

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// contactRate returns the rate of a contact in words: what rate says, or the sums of the rows of
// its matrix.
func (e *explainer) contactRate(c *syntax.Contact) string {
	m := e.model.Mixing[c]
	if m == nil || m.Rates == nil {
		return e.rate(c.Rate)
	}
	values := e.program.Attributes[e.program.Attributes.Index(c.By.Name)].Values
	var all []string
	for i, rate := range m.Rates {
		all = append(all, fmt.Sprintf("%s: %s", values[i], e.file.Unit.Rate(rate)))
	}
	return fmt.Sprintf("a rate by %s (%s)", c.By.Name, strings.Join(all, "; "))
}

// mixing says whom the individuals of each group meet.
func (e *explainer) mixing(c *syntax.Contact) {
	values := e.program.Attributes[e.program.Attributes.Index(c.By.Name)].Values
	m := e.model.Mixing[c]
	for k := range values {
		var shares []string
		for j := range values {
			share := ""
			if c.Matrix.RowNames == nil && !c.Matrix.CountsContacts() {
				share = e.probability(c.Matrix.Rows[k][j]) // with the parameters that it is made of
			} else {
				share = format.Percent(m.Shares[k][j])
			}
			shares = append(shares, share+" "+values[j])
		}
		e.line("    someone of %s %s meets %s", c.By.Name, values[k], strings.Join(shares, ", "))
	}
	for _, note := range m.Notes {
		e.line("    %s", note)
	}
}

// mixingWarnings lists what may be mistakes in the matrices.
func (e *explainer) mixingWarnings() (all []string) {
	for i := range e.file.Transmission {
		if m := e.model.Mixing[&e.file.Transmission[i]]; m != nil {
			all = append(all, m.Warnings...)
		}
	}
	return all
}
