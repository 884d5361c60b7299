package people

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// all reads all rows of a text.
func all(text string) (rows [][]string, lines []int, err error) {
	r, err := NewRows(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	for {
		if err := r.Next(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return rows, lines, err
		}
		var row []string
		for _, c := range r.Cells() {
			row = append(row, string(c))
		}
		rows, lines = append(rows, row), append(lines, r.Line())
	}
}

func TestRows(t *testing.T) {
	rows, lines, err := all("# note\n\n a , b\r\n\"x, \"\"y\"\"\n z\", 2\n#1,\"\"\n")
	want := [][]string{{"a", "b"}, {"x, \"y\"\n z", "2"}, {"#1", ""}}
	if err != nil || !slices.EqualFunc(rows, want, slices.Equal) || !slices.Equal(lines, []int{3, 4, 6}) {
		t.Errorf("%q in lines %v: %v", rows, lines, err)
	}
	// A row that is longer than the buffer.
	long := strings.Repeat("y", 200_000)
	if rows, _, err = all("a,b\n1," + long + "\n2,z"); err != nil || len(rows) != 3 || rows[1][1] != long {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}

// FuzzRows compares with package encoding/csv, where both accept a text, and looks at the limits.
func FuzzRows(f *testing.F) {
	f.Add("id,age\nann,3\n\"b,b\",\"4\"\n")
	f.Add("\ufeffuid,hh_id,age\r\n1,H1,\r\n")
	f.Add("p1,p2,edge_weight\n1,2,0.5\n")
	f.Add("a\rb\rc")
	f.Add("a;b\n1;2\n")
	f.Add("\x1f\x8b\x08")
	f.Add("a,b\n\"x\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, _, err := all(text)
		var p *Problem
		if err != nil && (!errors.As(err, &p) || p.Line < 1 || p.Column < 1 || p.Message == "") {
			t.Fatalf("%v", err)
		}
		for _, row := range rows {
			if len(row) != len(rows[0]) || len(row) > MaxColumns {
				t.Fatalf("rows of %d and %d cells", len(rows[0]), len(row))
			}
		}
		if err != nil || strings.ContainsAny(text, "\r#;\t\x00\x1f \ufeff") ||
			strings.HasPrefix(text, "\xff") || strings.HasPrefix(text, "\xfe") {
			return
		}
		other, failed := csv.NewReader(strings.NewReader(text)).ReadAll()
		if failed != nil {
			return
		}
		// Lines of nothing but white space are empty here, and a row there.
		other = slices.DeleteFunc(other, func(row []string) bool {
			return len(row) == 1 && len(bytes.TrimSpace([]byte(row[0]))) == 0
		})
		rows = slices.DeleteFunc(rows, func(row []string) bool {
			return len(row) == 1 && len(bytes.TrimSpace([]byte(row[0]))) == 0
		})
		if !slices.EqualFunc(rows, other, slices.Equal) {
			t.Fatalf("%q: %q, want %q", text, rows, other)
		}
	})
}

// FuzzPeople reads any text as people: it is refused with a place, or a table with columns of one
// length, whose ids are found again.
func FuzzPeople(f *testing.F) {
	f.Add("id,state,since,age in years,home,hiv,since hiv,house,count,x\nann,ill,1,7,north,yes,2,h1,,0.5\n,,,,,,,,3,\n")
	f.Add("id,house\na,\nb,h\nc,h\na,h\n")
	f.Add("state,count\nwell,5\nill,0\n,2\n")
	f.Add("count\n1000001\n")
	f.Fuzz(func(t *testing.T, text string) {
		problems := 0
		s := &Spec{
			File: "people.csv", Columns: map[string]string{}, Ignored: []string{"note"}, States: []string{"well", "ill"},
			Attributes: []Attribute{
				{Name: "home", Values: []string{"north", "south"}}, {Name: "hiv", Values: []string{"no", "yes"}},
			},
			Machines: 1, Numbers: []string{"x"}, Places: []string{"house"}, Year: 365.25, Unit: "days", Most: 1_000_000,
			Room: func() uint64 { return 1 << 28 },
			Report: func(p Problem) {
				if problems++; p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("%+v", p)
				}
			},
			Asked: func(string, string) { t.Error("nothing was asked") },
		}
		table := Read(strings.NewReader(text), s)
		if (table == nil) != (problems > 0) {
			t.Fatalf("%d problems", problems)
		}
		if table == nil {
			return
		}
		for i := range table.Size {
			_ = fmt.Sprint(table.State.At(i), table.Attributes[0].At(i), table.Attributes[1].At(i), table.Places[0].At(i),
				At(table.Age, i), At(table.Since, i), At(table.MachineSince[0], i), At(table.Numbers[0], i))
			if i > 1000 {
				break
			}
			if id := table.ID(i); id != "" {
				if k, ok := table.IDs.Number([]byte(id)); !ok || k != i {
					t.Fatalf("the id %q of %d is that of %d", id, i, k)
				}
			}
			if l := table.Line(i); l < 1 || i > 0 && l < table.Line(i-1) {
				t.Fatalf("person %d is in line %d", i, l)
			}
		}
	})
}

// Texts are found by their bytes, whatever the number of them.
func TestTexts(t *testing.T) {
	texts := NewTexts()
	for i := range 10_000 {
		if k := texts.Find(fmt.Appendf(nil, "p%d", i*i)); k != i {
			t.Fatalf("%d is %d", i, k)
		}
	}
	for i := range 10_000 {
		if k, ok := texts.Number(fmt.Appendf(nil, "p%d", i*i)); !ok || k != i {
			t.Fatalf("%d is %d", i, k)
		}
	}
	if _, ok := texts.Number([]byte("p2")); ok {
		t.Error("p2 is found")
	}
	if _, ok := (*Texts)(nil).Number([]byte("p1")); ok {
		t.Error("something is found in nothing")
	}
}
