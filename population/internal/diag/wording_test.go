package diag

import (
	"fmt"
	"strings"
	"testing"
)

func TestCutCountsRunes(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"},
		{"äöüa", 4, "äöüa"}, {"abcdefgh", 1, "…"}, {"\xff\xff\xff\xff", 3, "\xff\xff…"},
	} {
		if got := Truncate(c.text, c.most); got != c.want {
			t.Errorf("%q cut to %d is %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("%c%d", 'a'+i, i))
	}
	for _, c := range []struct {
		name  string
		names []string
		want  string
	}{
		{"infectius", []string{"infectious"}, `there is no state "infectius"; did you mean "infectious"?`},
		{"x", nil, `there is no state "x"; none is defined`},
		{"zzzzzz", many[:15], `there is no state "zzzzzz"; expected one of ` + strings.Join(many[:15], ", ")},
		{"zzzzzz", many,
			`there is no state "zzzzzz"; expected one of ` + strings.Join(many[:10], ", ") + " and 10 more"},
	} {
		if got := fmt.Sprint(Unknown("state", c.name, func() []string { return c.names })); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}
