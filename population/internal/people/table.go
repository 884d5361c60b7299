package people

import (
	"math"
	"slices"
	"sort"
)

// A Table is the people of a file, numbered from 0 in the order of its rows. A column is nil if the
// file does not have it. A Table does not change once it has been read.
type Table struct {
	File         string
	Size         int         // people
	State        *Codes      // the state of each
	Since        []float64   // how long it has been in it, in the model's unit; NaN if the cell is empty
	Age          []float64   // in the model's unit; NaN if the cell is empty
	Attributes   []*Codes    // by attribute, then by machine
	MachineSince [][]float64 // by machine: how long it has been in its state
	Numbers      [][]float64 // by number; NaN if the cell is empty
	Places       []*Places   // by kind
	IDs          *Texts      // by person; empty if it has none

	lines []lineOf
}

// A lineOf says that a person is the first of a line, and that those after it are in one line each.
type lineOf struct{ person, line int }

// Codes has a value for each person, or none. It takes 1 byte for each if there are less than 255
// values, and 2 otherwise.
type Codes struct {
	small []uint8 // 1 + the value, 0 for none
	large []uint16
}

// newCodes returns a column for so many different values.
func newCodes(values int) *Codes {
	if values < 255 {
		return &Codes{small: []uint8{}}
	}
	return &Codes{large: []uint16{}}
}

// At returns the value of a person, −1 if it has none.
func (c *Codes) At(person int) int {
	switch {
	case c == nil:
		return -1
	case c.small != nil:
		return int(c.small[person]) - 1
	}
	return int(c.large[person]) - 1
}

// add adds so many people with a value.
func (c *Codes) add(value, count int) {
	for range count {
		if c.small != nil {
			c.small = append(c.small, uint8(value+1))
		} else {
			c.large = append(c.large, uint16(value+1))
		}
	}
}

// width returns the bytes of a person.
func (c *Codes) width() int {
	if c.small != nil {
		return 1
	}
	return 2
}

// grow makes room for so many people in all.
func (c *Codes) grow(people int) {
	if c.small != nil {
		c.small = slices.Grow(c.small, max(0, people-len(c.small)))
	} else {
		c.large = slices.Grow(c.large, max(0, people-len(c.large)))
	}
}

// Places says which place of a kind each person is in. Places are numbered from 0 in the order in
// which the file names them.
type Places struct {
	Number int
	of     []uint32 // 1 + the place, 0 for none
}

// At returns the place of a person, −1 if it is in none.
func (p *Places) At(person int) int {
	if p == nil {
		return -1
	}
	return int(p.of[person]) - 1
}

// At returns the number of a person in a column, NaN if it has none or there is no such column.
func At(column []float64, person int) float64 {
	if column == nil {
		return math.NaN()
	}
	return column[person]
}

// ID returns the id of a person in the order of the rows, "" if it has none.
func (t *Table) ID(person int) string {
	if t == nil || person < 0 || person >= t.IDs.Len() {
		return ""
	}
	return string(t.IDs.Text(person))
}

// Line returns the line of the file that a person is in.
func (t *Table) Line(person int) int {
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i].person > person }) - 1
	if i < 0 {
		return 0
	}
	l := t.lines[i]
	if i+1 < len(t.lines) {
		return min(l.line+person-l.person, t.lines[i+1].line-1)
	}
	return l.line + person - l.person
}

// Bytes returns how many bytes the table takes.
func (t *Table) Bytes() int {
	if t == nil {
		return 0
	}
	return t.Size*t.width() + t.IDs.Bytes() + 16*len(t.lines)
}

// width returns the bytes that a person takes in columns, without its id.
func (t *Table) width() (each int) {
	t.eachCodes(func(c *Codes) { each += c.width() })
	t.eachNumbers(func(*[]float64) { each += 8 })
	for _, p := range t.Places {
		if p != nil {
			each += 4
		}
	}
	return each
}

// eachCodes calls do for each column of values.
func (t *Table) eachCodes(do func(c *Codes)) {
	if t.State != nil {
		do(t.State)
	}
	for _, c := range t.Attributes {
		if c != nil {
			do(c)
		}
	}
}

// eachNumbers calls do for each column of numbers.
func (t *Table) eachNumbers(do func(c *[]float64)) {
	all := [][]*[]float64{{&t.Since, &t.Age}}
	for i := range t.MachineSince {
		all[0] = append(all[0], &t.MachineSince[i])
	}
	for i := range t.Numbers {
		all[0] = append(all[0], &t.Numbers[i])
	}
	for _, c := range all[0] {
		if *c != nil {
			do(c)
		}
	}
}

// grow makes room for so many people in all.
func (t *Table) grow(people int) {
	t.eachCodes(func(c *Codes) { c.grow(people) })
	t.eachNumbers(func(c *[]float64) { *c = slices.Grow(*c, max(0, people-len(*c))) })
	for _, p := range t.Places {
		if p != nil {
			p.of = slices.Grow(p.of, max(0, people-len(p.of)))
		}
	}
	if t.IDs != nil {
		t.IDs.ends = slices.Grow(t.IDs.ends, max(0, people-len(t.IDs.ends)))
	}
}
