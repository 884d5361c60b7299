package syntax

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// same as an effect leaves the individual that is met as it is, unless a state has that name.
const same = "same"

// A Contact is an item of the section transmission.
type Contact struct {
	What      string // how messages name it
	Machine   Ref    // whose states From, To and Self are; not Given for those of states
	From      []Ref
	Rate      Value
	EachPair  bool  // Rate is for each ordered pair of individuals
	Chance    Value // 1 if not given
	To        []ContactEffect
	Moves     []Move  // of the one it is about
	Inherit   []Ref   // what that one has from the other
	Everybody bool    // there is no To: everybody is affected who matches Whom
	Self      Ref     // what becomes of the individual that makes the contact; optional
	Where     []Where // restricts the individuals that make contacts
	Whom      []Where // restricts the individuals that are affected
	By        Ref     // mixing: the attribute; optional
	Among     Ref     // whose others are met: those of the same place or with the same value; optional
	Matrix    Matrix  // mixing: who meets whom
	Link      Ref     // the network in which the contact links the two; optional
	Uses      Uses    // of a supply
	Name      string
}

// A ContactEffect says what an individual becomes that is met in a state.
type ContactEffect struct{ Met, Becomes Ref }

// transmission reads the section transmission.
func (r *Reader) transmission(m *File, n *yaml.Node) {
	const example = "{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}"
	for i, item := range r.Items(n, "transmission", "["+example+"]") {
		c := Contact{What: fmt.Sprintf("transmission %d", i+1)}
		f := r.Fields(item, c.What, example, "machine", "from", "rate", "rate each", "chance", "to", "self", "where", "whom",
			"mixing", "among", "move", "inherit", "link", "name", "uses", "full", "queue")
		if f == nil {
			continue
		}
		if mixing := f.Get("mixing"); mixing != nil {
			r.mixing(&c, mixing)
		}
		r.among(&c, f)
		r.link(&c, f)
		from, rate, to := f.Get("from"), r.contactRate(&c, f), f.Get("to")
		gives := f.Get("move") != nil || f.Get("inherit") != nil || f.Get("link") != nil
		if from == nil && !gives {
			f.Need("from", "infectious")
		}
		switch counted := c.Matrix.CountsContacts(); {
		case counted && rate != nil:
			r.Fail(rate, "%s: rate: the matrix has numbers of contacts, which are the rate; leave out rate, or the unit of the "+
				"matrix", c.What)
		case !counted && rate == nil:
			f.Need("rate", "0.5 per day")
		}
		if c.Everybody = to == nil; to == nil && !gives {
			f.Need("to", "{susceptible: infectious}")
		}
		c.Machine, c.Moves = f.ref("machine"), f.moves("move")
		if inherit := f.Get("inherit"); inherit != nil {
			c.Inherit = r.attributeRefs(inherit, c.What+": inherit")
		}
		c.Name = f.name()
		if from != nil {
			c.From = f.refs("from")
		}
		c.Rate.Bad = true // also if the matrix gives it
		switch {
		case rate != nil && c.EachPair:
			c.Rate = r.ratePerPair(rate, c.What+": rate each")
		case rate != nil:
			c.Rate = r.Value(rate, c.What+": rate", quantity.Rate)
		}
		c.Chance = f.Value("chance", quantity.Share)
		if to != nil {
			c.To = r.contactEffects(to, c.What+": to")
		}
		c.Self = f.ref("self")
		for _, to := range c.To {
			if m.Stays(&c, to) && !c.Self.Given() {
				r.Add(to.Becomes.At, "%s: to: %s: same leaves the one who is met as they are, "+
					"so that nothing happens; write self: and what becomes of the one who makes the contact",
					c.What, diag.Shorten(to.Met.Name))
			}
		}
		c.Where, c.Whom = f.where("where"), f.where("whom")
		c.Uses = f.uses()
		m.Transmission = append(m.Transmission, c)
	}
}

// contactRate returns the rate of a contact: rate, or rate each.
func (r *Reader) contactRate(c *Contact, f *Fields) *yaml.Node {
	rate, each := f.Get("rate"), f.Get("rate each")
	if each == nil {
		return rate
	}
	c.EachPair = true
	switch {
	case rate != nil:
		r.Fail(each, "%s: both rate and rate each; a contact has one of them", c.What)
	case f.Get("mixing") != nil:
		r.Fail(each, "%s: rate each with mixing: the matrix says with whom, rate each is with everybody", c.What)
	}
	return each
}

// among reads the key among.
func (r *Reader) among(c *Contact, f *Fields) {
	n := f.Get("among")
	if n == nil {
		return
	}
	c.Among = r.Ref(n, c.What+": among")
	r.noteState(c.Among.Name)
	if f.Get("mixing") != nil {
		r.Fail(n, "%s: both among and mixing; among says with whom", c.What)
		c.Among.Bad = true
	}
}

// contactEffects reads the key to: {susceptible: infectious}.
func (r *Reader) contactEffects(n *yaml.Node, what string) []ContactEffect {
	const example = "{susceptible: infectious}"
	var all []ContactEffect
	before := r.Count
	for _, p := range r.Pairs(n, what, example) {
		becomes := r.Ref(p.Value, what+": "+diag.Shorten(p.Name))
		all = append(all, ContactEffect{Ref{Name: p.Name, At: r.Place(p.Key)}, becomes})
	}
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected what becomes of whom, such as %s", what, example)
	}
	return all
}

// Stays reports whether an effect leaves the individual that is met as it is.
func (m *File) Stays(c *Contact, to ContactEffect) bool {
	states := m.States
	for i := range m.Machines {
		if m.Machines[i].Name == c.Machine.Name {
			states = m.Machines[i].States
		}
	}
	return to.Becomes.Name == same && !slices.ContainsFunc(states, func(s State) bool { return s.Name == same })
}

// A Matrix says who meets whom: row i, column j is the chance that a contact of group i is with
// group j, or, if Unit is given, how many contacts somebody of group i has with group j.
//
//	[[0.9, 0.1], [0.1, 0.9]]
//	{file: m.csv}
//	{file: contacts.csv, unit: per day, reciprocal: true}
//	{rows: [[8, 2], [1.5, 6]], unit: per day}
type Matrix struct {
	At          diag.Place
	Rows        [][]Value
	RowsAt      []diag.Place
	RowNames    []Ref             // of a file; nil if rows and columns are in the order of the attribute
	ColumnNames []Ref             // likewise
	Unit        quantity.Quantity // one contact in the unit of time; a number if the rows have chances
	Reciprocal  bool              // contacts of i with j and of j with i are to be as many
	Bad         bool              // it could not be read, which has been reported
}

// CountsContacts reports whether the matrix has contacts per unit of time, which are the rate of
// the contact, too.
func (m *Matrix) CountsContacts() bool { return m.Unit.Kind == quantity.Rate }

const (
	exampleMatrix  = "[[0.9, 0.1], [0.1, 0.9]]"
	exampleMixing  = "{by: region, matrix: " + exampleMatrix + "}"
	exampleSurvey  = "{file: contacts.csv, unit: per day}"
	exampleInlined = "{rows: [[8, 2], [1.5, 6]], unit: per day}"
)

// mixing reads the key mixing: an attribute and a matrix.
func (r *Reader) mixing(c *Contact, n *yaml.Node) {
	what := c.What + ": mixing"
	f := r.Fields(n, what, exampleMixing, "by", "matrix")
	if f == nil {
		return
	}
	by, matrix := f.Need("by", "region"), f.Need("matrix", exampleMatrix)
	if by == nil || matrix == nil {
		return
	}
	c.By = r.Ref(by, what+": by")
	r.noteState(c.By.Name)
	before := r.Count
	what += ": matrix"
	if matrix = r.Resolve(matrix); matrix.Kind == yaml.MappingNode {
		r.matrixWithKeys(&c.Matrix, matrix, what)
	} else {
		r.matrixRows(&c.Matrix, matrix, what, quantity.Share)
	}
	c.Matrix.At = r.Place(matrix)
	c.Matrix.Bad = r.Count > before
}

// matrixRows reads the rows of a matrix that stands in the file.
func (r *Reader) matrixRows(m *Matrix, n *yaml.Node, what string, want quantity.Kind) {
	for _, row := range r.Items(n, what, exampleMatrix) {
		var values []Value
		for _, item := range r.Items(row, what, "[0.9, 0.1]") {
			values = append(values, r.Value(item, what, want))
		}
		m.Rows = append(m.Rows, values)
		m.RowsAt = append(m.RowsAt, r.Place(row))
	}
}

// matrixWithKeys reads a matrix from a table, or one with a unit.
func (r *Reader) matrixWithKeys(m *Matrix, n *yaml.Node, what string) {
	f := r.Fields(n, what, exampleSurvey, "file", "rows", "unit", "reciprocal")
	if f == nil {
		return
	}
	file, rows, unit, reciprocal := f.Get("file"), f.Get("rows"), f.Get("unit"), f.Get("reciprocal")
	if unit != nil {
		if one, ok := r.columnUnit(unit, what); ok {
			if m.Unit = one; one.Kind == quantity.Duration {
				r.Fail(unit, "%s: unit: found a duration, expected per day for contacts, or %% for chances", what)
			}
		}
	}
	if reciprocal != nil {
		if m.Reciprocal = reciprocal.Value == "true"; !m.Reciprocal && reciprocal.Value != "false" {
			r.Fail(reciprocal, "%s: reciprocal: found %s, expected true or false", what, Describe(reciprocal))
		}
		if unit == nil {
			r.Fail(reciprocal, "%s: reciprocal: it is about numbers of contacts; say in which unit they are, as in %s", what,
				"unit: per day")
		}
	}
	switch {
	case file != nil && rows != nil:
		r.Fail(rows, "%s: both file and rows; expected one of them", what)
	case file != nil:
		name, ok := r.text(file, what+": file", "the name of a file, such as contacts.csv")
		if !ok {
			return
		}
		text, err := r.Tables.Content(name)
		if err != nil {
			r.Fail(file, "%s: file: %s: %v", what, diag.Quote(name), err)
			return
		}
		r.readMatrix(m, name, text)
	case rows != nil:
		want := quantity.Share
		if m.CountsContacts() {
			want = quantity.Number
		}
		r.matrixRows(m, rows, what, want)
	default:
		r.Fail(n, "%s: expected a file or rows, as in %s or %s", what, exampleSurvey, exampleInlined)
	}
}

// readMatrix reads a CSV table: the names of the columns in the first line, and of the rows in the
// first column.
func (r *Reader) readMatrix(m *Matrix, name string, text []byte) {
	in := tablefile.NewReader(text)
	fail := func(line, column int, format string, args ...any) {
		r.Add(diag.Place{File: name, Line: line, Column: column}, format, args...)
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		fail(1, 1, "the file is empty; expected a line with the names of the groups, then a row for each, its name first")
		return
	case err != nil:
		fail(tablefile.Line(err), 1, "this is not a table: %v", tablefile.Reason(err))
		return
	}
	if line, _ := in.FieldPos(0); len(header) == 1 {
		fail(line, 1, "there is one column, %s; expected a comma between two columns, and a point in numbers",
			diag.Quote(strings.TrimSpace(header[0])))
		return
	}
	for i, h := range header[1:] {
		line, column := in.FieldPos(i + 1)
		at := diag.Place{File: name, Line: line, Column: column}
		m.ColumnNames = append(m.ColumnNames, Ref{Name: strings.TrimSpace(h), At: at})
	}
	columns := len(header)
	for {
		row, err := in.Read()
		switch {
		case err == io.EOF:
			if len(m.Rows) == 0 {
				fail(1, 1, "there is no row; expected one for each group")
			}
			return
		case errors.Is(err, csv.ErrFieldCount):
			fail(tablefile.Line(err), 1, "%s here, and %d names of columns; expected the same",
				format.Plural(len(row), "value"), columns)
			return
		case err != nil:
			fail(tablefile.Line(err), 1, "this is not a table: %v", tablefile.Reason(err))
			return
		}
		line, first := in.FieldPos(0)
		at := diag.Place{File: name, Line: line, Column: first}
		m.RowNames = append(m.RowNames, Ref{Name: strings.TrimSpace(row[0]), At: at})
		m.RowsAt = append(m.RowsAt, at)
		values := make([]Value, 0, columns-1)
		for i, cell := range row[1:] {
			_, at := in.FieldPos(i + 1)
			cell = strings.TrimSpace(cell)
			number, percent := strings.CutSuffix(cell, "%")
			x, ok := quantity.ParseNumber(number)
			if !ok || percent && m.CountsContacts() {
				fail(line, at, "%s: found %s, expected a number", diag.Shorten(m.ColumnNames[i].Name), diag.Quote(cell))
				return
			}
			v := Value{At: diag.Place{File: name, Line: line, Column: at}, Text: diag.Shorten(cell),
				Quantity: quantity.Quantity{Kind: quantity.Number, Number: x}}
			if percent || m.Unit.Kind == quantity.Share {
				v.Quantity = quantity.Quantity{Kind: quantity.Share, Number: x / 100}
			}
			values = append(values, v)
		}
		m.Rows = append(m.Rows, values)
	}
}

// Sorted returns the rows in the order of the names of an attribute's values, and what is wrong
// with the names of the table: a place and a message for each problem.
func (m *Matrix) Sorted(
	attribute string, values []string, report func(at diag.Place, message string),
) ([][]Value, []diag.Place) {
	if m.RowNames == nil {
		return m.Rows, m.RowsAt
	}
	find := func(names []Ref, kind string) (order []int) {
		order = slices.Repeat([]int{-1}, len(values))
		wrong := false
		for i, n := range names {
			switch k := slices.Index(values, n.Name); {
			case k < 0:
				wrong = true
				report(n.At, diag.Unknown("value of "+attribute, n.Name, func() []string { return values }).String())
			case order[k] >= 0:
				wrong = true
				report(n.At, "a second "+kind+" "+diag.Quote(n.Name)+"; expected one")
			default:
				order[k] = i
			}
		}
		if wrong {
			return nil
		}
		for k, i := range order {
			if i < 0 {
				report(names[0].At, "there is no "+kind+" for "+attribute+" "+diag.Quote(values[k])+"; expected one for each value")
				return nil
			}
		}
		return order
	}
	columns, rows := find(m.ColumnNames, "column"), find(m.RowNames, "row")
	if columns == nil || rows == nil || len(m.ColumnNames) != len(values) || len(m.RowNames) != len(values) {
		return nil, nil
	}
	sorted, at := make([][]Value, len(values)), make([]diag.Place, len(values))
	for k, i := range rows {
		for _, j := range columns {
			sorted[k] = append(sorted[k], m.Rows[i][j])
		}
		at[k] = m.RowsAt[i]
	}
	return sorted, at
}
