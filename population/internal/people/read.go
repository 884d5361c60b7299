package people

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population/internal/diag"
)

// What a column can be besides a name of the model.
const (
	id         = "id"
	state      = "state"
	since      = "since"
	ageInYears = "age in years"
	count      = "count"
)

// An Attribute is an attribute or machine of the model, and the values that it can have.
type Attribute struct {
	Name    string
	Values  []string
	Refused string // why people cannot be given one; "" if they can
}

// A Spec says what a file of people can say.
type Spec struct {
	File       string
	Columns    map[string]string // what the columns are called in the file, by what they are
	Ignored    []string          // columns that are not meant
	States     []string
	Attributes []Attribute // machines are the last
	Machines   int         // how many of them are machines
	Numbers    []string
	Places     []string
	Year       float64 // in the model's unit
	Unit       string  // its name in the plural

	Most     int                        // people
	Bytes    int64                      // of the file; 0 if that is not known
	Done     func() int64               // bytes that have been read; nil if that is not known
	Progress func(done, of int64)       // called now and then; may be nil
	Room     func() uint64              // bytes of memory that are left
	Report   func(p Problem)            // called with what is wrong with the file
	Asked    func(what, message string) // called with what is wrong with Columns
}

// Names are all that columns can be.
func (s *Spec) Names() []string {
	names := []string{id, state, since, ageInYears, count}
	for i, a := range s.Attributes {
		names = append(names, a.Name)
		if i >= len(s.Attributes)-s.Machines {
			names = append(names, since+" "+a.Name)
		}
	}
	return append(append(names, s.Numbers...), s.Places...)
}

// A meaning is what a column of the file is.
type meaning struct {
	kind  uint8
	of    int // the number of the attribute, number, machine or kind of places
	name  string
	codes map[string]int
}

// hasNA reports whether NA is a value.
func (m *meaning) hasNA() bool {
	_, ok := m.codes["NA"]
	return ok
}

// The kinds of columns.
const (
	isIgnored = iota
	isID
	isState
	isSince
	isAge
	isCount
	isAttribute
	isMachineSince
	isNumber
	isPlace
)

// meaningOf returns what a name of the model means in a file of people. Names of the file win.
func (s *Spec) meaningOf(name string) (meaning, bool) {
	plain := len(s.Attributes) - s.Machines
	for i, a := range s.Attributes {
		if a.Name == name {
			return meaning{kind: isAttribute, of: i, name: name, codes: numbered(a.Values)}, true
		}
	}
	if i := slices.Index(s.Numbers, name); i >= 0 {
		return meaning{kind: isNumber, of: i, name: name}, true
	}
	if i := slices.Index(s.Places, name); i >= 0 {
		return meaning{kind: isPlace, of: i, name: name}, true
	}
	for i, a := range s.Attributes[plain:] {
		if since+" "+a.Name == name {
			return meaning{kind: isMachineSince, of: i, name: name}, true
		}
	}
	switch name {
	case id:
		return meaning{kind: isID, name: name}, true
	case state:
		return meaning{kind: isState, name: name, codes: numbered(s.States)}, true
	case since:
		return meaning{kind: isSince, name: name}, true
	case ageInYears:
		return meaning{kind: isAge, name: name}, true
	case count:
		return meaning{kind: isCount, name: name}, true
	}
	return meaning{}, false
}

// numbered returns the numbers of values.
func numbered(values []string) map[string]int {
	all := make(map[string]int, len(values))
	for i, v := range values {
		all[v] = i
	}
	return all
}

// maxReported is how many problems of rows are reported before reading stops.
const maxReported = 10

// A reader reads one file.
type reader struct {
	*Spec
	rows     *Rows
	table    *Table
	meanings []meaning
	places   []*Texts
	reported int
	cell     []int // by kind of column: the cell; −1 if there is none
	row      int
	capacity int
}

// Read reads people. It returns nil if there is a problem, which has been reported.
func Read(in io.Reader, s *Spec) *Table {
	r := &reader{Spec: s}
	rows, err := NewRows(in)
	if err != nil {
		return r.failed(err)
	}
	r.rows = rows
	switch err := rows.Next(); {
	case err == io.EOF:
		r.report(1, 1, "the file is empty; expected a line with the names of the columns")
		return nil
	case err != nil:
		return r.failed(err)
	}
	if !r.header() {
		return nil
	}
	for {
		err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return r.failed(err)
		}
		if !r.person() {
			return nil
		}
	}
	if r.reported > 0 {
		return nil
	}
	if r.Progress != nil {
		r.Progress(r.Bytes, r.Bytes)
	}
	for k, texts := range r.places {
		if texts != nil {
			r.table.Places[k].Number = texts.Len()
		}
	}
	return r.table
}

// failed reports what Rows returned.
func (r *reader) failed(err error) *Table {
	var p *Problem
	if !errors.As(err, &p) {
		p = &Problem{1, 1, err.Error()}
	}
	r.Report(*p)
	return nil
}

// report reports a problem.
func (r *reader) report(line, column int, format string, args ...any) {
	r.reported++
	r.Report(Problem{line, column, fmt.Sprintf(format, args...)})
}

// header decides what the columns are.
func (r *reader) header() bool {
	cells := r.rows.Cells()
	names := make([]string, len(cells))
	for i := range cells {
		names[i] = string(cells[i])
	}
	called := map[string]string{} // what a column of the file is, by its name there
	for _, what := range sortedKeys(r.Columns) {
		in := r.Columns[what]
		if _, ok := r.meaningOf(what); !ok {
			r.Asked(what, fmt.Sprint(diag.Unknown("attribute, machine or kind of places", what, r.Names)))
			r.reported++
			continue
		}
		switch other, taken := called[in]; {
		case taken:
			r.Asked(what, fmt.Sprintf("the column %s is %s already", diag.Quote(in), other))
			r.reported++
		case !slices.Contains(names, in):
			r.Asked(what, diag.Shorten(r.File)+": "+
				fmt.Sprint(diag.Unknown("column", in, func() []string { return names })))
			r.reported++
		}
		called[in] = what
	}
	if r.reported > 0 { // what would be said of the file follows from it
		return false
	}
	t := &Table{File: r.File, Attributes: make([]*Codes, len(r.Attributes)),
		Numbers: make([][]float64, len(r.Spec.Numbers)), MachineSince: make([][]float64, r.Machines),
		Places: make([]*Places, len(r.Spec.Places))}
	r.table, r.places = t, make([]*Texts, len(r.Spec.Places))
	r.cell = slices.Repeat([]int{-1}, isPlace+1)
	seen, unknown := map[string]bool{}, []int{}
	for i, name := range names {
		line, column := r.rows.Line(), r.rows.Column(i)
		what, renamed := called[name]
		if !renamed {
			what = name
		}
		m, ok := r.meaningOf(what)
		in, elsewhere := r.Columns[what]
		switch {
		case !renamed && slices.Contains(r.Ignored, name):
			m = meaning{}
		case ok && !renamed && elsewhere:
			r.report(line, column, "columns says that %s is %s; name this one in ignore", what, diag.Quote(in))
		case seen[what]:
			r.report(line, column, "a second column %s; expected one", diag.Quote(name))
		case name != "" && !ok && suggest.Name(name, r.Names()) != "":
			r.report(line, column, "there is no attribute, machine or kind of places %s; did you mean %q? Name it in columns, "+
				"or in ignore", diag.Quote(name), suggest.Name(name, r.Names()))
		case !ok:
			unknown = append(unknown, i)
		case m.kind == isAttribute && r.Attributes[m.of].Refused != "":
			r.report(line, column, "%s; name the column in ignore", r.Attributes[m.of].Refused)
		default:
			seen[what] = true
			r.cell[m.kind] = i
			r.addColumn(m)
		}
		r.meanings = append(r.meanings, m)
	}
	r.unknownColumns(names, unknown)
	return r.reported == 0
}

// unknownColumns reports the columns that nothing is known of, all at once: a file that was made for
// something else has many, and what is to be written to leave them out can be copied.
func (r *reader) unknownColumns(names []string, unknown []int) {
	if len(unknown) == 0 {
		return
	}
	line, column := r.rows.Line(), r.rows.Column(unknown[0])
	ignored := slices.Clone(r.Ignored)
	for _, i := range unknown {
		ignored = append(ignored, names[i])
	}
	switch name := names[unknown[0]]; {
	case len(unknown) > 1:
		r.report(line, column, "there is no attribute, machine or kind of places for %d columns; name those that are one in "+
			"columns, and leave out the others with ignore: %s", len(unknown), listOf(ignored))
	case name == "":
		r.report(line, column, `a column without a name; write "" in ignore, or give it a name`)
	default:
		r.report(line, column, "there is no attribute, machine or kind of places %s; name it in columns, or in ignore",
			diag.Quote(name))
	}
}

// listOf writes names as a list of YAML.
func listOf(names []string) string {
	inWord := func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	all := make([]string, len(names))
	for i, name := range names {
		if all[i] = name; name == "" || strings.EqualFold(name, "null") || strings.TrimFunc(name, inWord) != "" {
			all[i] = strconv.Quote(name)
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// addColumn makes an empty column of the table.
func (r *reader) addColumn(m meaning) {
	t := r.table
	switch m.kind {
	case isID:
		t.IDs = NewTexts()
	case isState:
		t.State = newCodes(len(r.States))
	case isSince:
		t.Since = []float64{}
	case isAge:
		t.Age = []float64{}
	case isAttribute:
		t.Attributes[m.of] = newCodes(len(r.Attributes[m.of].Values))
	case isMachineSince:
		t.MachineSince[m.of] = []float64{}
	case isNumber:
		t.Numbers[m.of] = []float64{}
	case isPlace:
		t.Places[m.of], r.places[m.of] = &Places{of: []uint32{}}, NewTexts()
	}
}

// person reads a row. It reports false if reading cannot go on.
func (r *reader) person() bool {
	t, cells := r.table, r.rows.Cells()
	n := 1
	if k := r.cell[isCount]; k >= 0 {
		var ok bool
		if n, ok = r.count(cells[k]); !ok {
			r.bad(k, "expected a whole number of people, from 0 to %d", r.Most)
			return r.reported < maxReported
		}
		if i := r.cell[isID]; i >= 0 && n != 1 && len(cells[i]) > 0 {
			r.report(r.rows.Line(), r.rows.Column(k), "count: %d of the id %s; an id is of one person", n, quote(cells[i]))
			return r.reported < maxReported
		}
	}
	if n > r.Most-t.Size {
		r.report(r.rows.Line(), 1, "more than %d people", r.Most)
		return false
	}
	if t.Size+n > r.capacity && !r.grow(n) {
		return false
	}
	if last := len(t.lines) - 1; last < 0 || t.lines[last].line+t.Size-t.lines[last].person != r.rows.Line() {
		t.lines = append(t.lines, lineOf{t.Size, r.rows.Line()})
	}
	if n != 1 { // those that follow are not in lines of their own
		t.lines = append(t.lines, lineOf{t.Size + n, r.rows.Line() + 1})
	}
	for i := range r.meanings {
		m := &r.meanings[i]
		if m.kind > isID && len(cells[i]) == 2 && cells[i][0] == 'N' && cells[i][1] == 'A' && !m.hasNA() {
			cells[i] = cells[i][:0] // as R writes what is not there
		}
		if m.kind != isIgnored && m.kind != isCount && !r.read(m, i, cells[i], n) {
			return false
		}
	}
	if r.reported == 0 && !r.checkSince(cells) {
		return false
	}
	t.Size += n
	if r.row++; r.row%(1<<15) == 0 && r.Progress != nil && r.Done != nil {
		r.Progress(r.Done(), r.Bytes)
	}
	return r.reported < maxReported
}

// checkSince refuses a time since without what it is since.
func (r *reader) checkSince(cells [][]byte) bool {
	t := r.table
	if k := r.cell[isSince]; k >= 0 && len(cells[k]) > 0 && (r.cell[isState] < 0 || len(cells[r.cell[isState]]) == 0) {
		r.report(r.rows.Line(), r.rows.Column(k), "since: since what? The state is empty")
	}
	if r.cell[isMachineSince] < 0 {
		return true
	}
	for i := range r.meanings {
		if m := &r.meanings[i]; m.kind == isMachineSince && len(cells[i]) > 0 {
			a := len(r.Attributes) - r.Machines + m.of
			if t.Attributes[a] == nil || t.Attributes[a].At(t.Size) < 0 {
				r.report(r.rows.Line(), r.rows.Column(i), "%s: since what? %s is empty", m.name, r.Attributes[a].Name)
			}
		}
	}
	return r.reported < maxReported
}

// grow makes room for n more people, and for those that are to be expected. It reports false if
// there is not enough memory.
func (r *reader) grow(n int) bool {
	t := r.table
	want := max(t.Size+n, r.capacity+r.capacity/2, 1024)
	if r.Bytes > 0 && r.Done != nil && t.Size >= 1024 {
		if done := r.Done(); done > 0 {
			rest := float64(t.Size) / float64(done) * float64(r.Bytes) * 1.01
			want = max(t.Size+n, int(min(rest, 2*float64(want)+float64(r.Bytes)))+64)
		}
	}
	want = min(want, max(r.Most, t.Size+n))
	if t.Size+n > 1<<16 { // too few to look at otherwise
		texts := t.IDs.Bytes()
		for _, p := range r.places {
			texts += p.Bytes()
		}
		need := uint64(want)*uint64(t.width()) + uint64(float64(texts)*float64(want)/float64(max(t.Size, 1)))
		if room := r.Room(); need > room-room/8 {
			r.report(r.rows.Line(), 1, "more people than fit into memory: the table of %d would take %s MB, and there are %s",
				want, format.Thousands(float64(need>>20)), format.Thousands(float64(room>>20)))
			return false
		}
	}
	t.grow(want)
	r.capacity = want
	return true
}

// bad reports a cell.
func (r *reader) bad(cell int, expected string, args ...any) {
	r.report(r.rows.Line(), r.rows.Column(cell), "%s: found %s, %s", r.meanings[cell].name,
		quote(r.rows.Cells()[cell]), fmt.Sprintf(expected, args...))
}

// quote quotes the text of a cell.
func quote(text []byte) string { return diag.Quote(string(text[:min(len(text), 1000)])) }

// count returns the number of people of a row.
func (r *reader) count(text []byte) (int, bool) {
	if len(text) == 0 || string(text) == "NA" {
		return 1, true
	}
	x, ok := number(text)
	return int(x), ok && x >= 0 && x <= float64(r.Most) && x == math.Trunc(x)
}

// number parses a number.
func number(text []byte) (float64, bool) {
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// read adds a cell to its column, for n people.
func (r *reader) read(m *meaning, cell int, text []byte, n int) bool {
	t := r.table
	switch m.kind {
	case isID:
		if k, ok := t.IDs.Number(text); ok {
			r.report(r.rows.Line(), r.rows.Column(cell), "the id %s is in line %d already", quote(text), t.Line(k))
			return r.reported < maxReported
		}
		for range n {
			if !t.IDs.Add(text) {
				r.report(r.rows.Line(), r.rows.Column(cell), "all ids together have more than 4 GB")
				return false
			}
		}
	case isState, isAttribute:
		codes, values := t.State, r.States
		if m.kind == isAttribute {
			codes, values = t.Attributes[m.of], r.Attributes[m.of].Values
		}
		v := -1
		if len(text) > 0 {
			var ok bool
			if v, ok = m.codes[string(text)]; !ok {
				r.report(r.rows.Line(), r.rows.Column(cell), "%s: %s is none of %s; write one of these in the file", m.name,
					quote(text), diag.ListNames(values))
				v = -1
			}
		}
		codes.add(v, n)
	case isSince:
		t.Since = r.addNumber(t.Since, cell, text, n, 1, true)
	case isMachineSince:
		t.MachineSince[m.of] = r.addNumber(t.MachineSince[m.of], cell, text, n, 1, true)
	case isAge:
		t.Age = r.addNumber(t.Age, cell, text, n, r.Year, true)
	case isNumber:
		t.Numbers[m.of] = r.addNumber(t.Numbers[m.of], cell, text, n, 1, false)
	case isPlace:
		k := 0
		if len(text) > 0 {
			if k = r.places[m.of].Find(text) + 1; k == 0 {
				r.report(r.rows.Line(), r.rows.Column(cell), "%s: the names of all places together have more than 4 GB", m.name)
				return false
			}
		}
		of := t.Places[m.of]
		for range n {
			of.of = append(of.of, uint32(k))
		}
	}
	return r.reported < maxReported
}

// addNumber adds a cell of numbers, times a unit.
func (r *reader) addNumber(column []float64, cell int, text []byte, n int, unit float64, positive bool) []float64 {
	x := math.NaN()
	if len(text) > 0 {
		var ok bool
		switch x, ok = number(text); {
		case !ok && r.meanings[cell].kind == isAge:
			r.bad(cell, "expected a number of years")
		case !ok && positive:
			r.bad(cell, "expected a number of %s", r.Unit)
		case !ok:
			r.bad(cell, "expected a number")
		case positive && x < 0:
			r.report(r.rows.Line(), r.rows.Column(cell), "%s: %s is negative", r.meanings[cell].name, quoteBare(text))
		}
		x *= unit
	}
	for range n {
		column = append(column, x)
	}
	return column
}

// quoteBare repeats a number of the file.
func quoteBare(text []byte) string { return diag.Shorten(string(text[:min(len(text), 1000)])) }
