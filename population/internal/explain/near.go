package explain

import (
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// among says of which others a contact is, if not of everybody.
func (e *explainer) among(c *syntax.Contact) string {
	if !c.Among.Given() {
		return ""
	}
	return " with the same " + c.Among.Name
}

// amongWords returns the first attribute or kind of places that a contact is among, or "".
func (e *explainer) amongWords() string {
	for i := range e.file.Transmission {
		if c := &e.file.Transmission[i]; c.Among.Given() {
			return c.Among.Name
		}
	}
	return ""
}
