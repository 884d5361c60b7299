package papers

import (
	"regexp"
	"testing"
)

// Every claim says what it is, by a name of its own that can be that of a file; and those of a
// paper stand together.
func TestClaims(t *testing.T) {
	clean := regexp.MustCompile(`^[a-z0-9.-]+$`)
	names, papers := map[string]bool{}, map[string]bool{}
	last := ""
	for _, c := range Claims() {
		if c.Paper == "" || c.Place == "" || c.Says == "" || c.How == "" || c.Run == nil || names[c.Name] ||
			!clean.MatchString(c.Name) {
			t.Errorf("%+v", c)
		}
		if c.Paper != last && papers[c.Paper] {
			t.Errorf("%s is apart from the other claims of %s", c.Name, c.Paper)
		}
		names[c.Name], papers[c.Paper], last = true, true, c.Paper
	}
	if len(papers) != 5 {
		t.Errorf("%d papers, want 5", len(papers))
	}
}
