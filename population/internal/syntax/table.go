package syntax

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// A Table is a value by group: {by: age, child: 0.1%, adult: 1%, elder: 8%}. It is read for the
// individual whose clock it belongs to, or, with of: met, for the individual that is met.
type Table struct {
	By      Ref
	Met     bool
	Entries []TableEntry
	File    string // the table that Entries are from; "" if they are written here
}

// A TableEntry is what holds for a value of the attribute, or, as other, for all that are not
// named.
type TableEntry struct {
	Of    Ref
	Other bool
	Value Value
}

const exampleTable = "{by: age, child: 0.1%, adult: 1%, other: 8%}"

// table reads a value by group. It returns nil, and reports it, if it cannot.
func (r *Reader) table(n *yaml.Node, what string, want quantity.Kind) *Table {
	before := r.Count
	t := &Table{}
	inFile := r.inFile(n)
	for _, p := range r.Pairs(n, what, exampleTable) {
		switch p.Name {
		case "by":
			t.By = r.Ref(p.Value, what+": by")
			r.noteAsked(t.By.Name)
		case "of":
			if t.Met = p.Value.Value == "met"; !t.Met {
				r.Fail(p.Value, "%s: of: found %s, expected met: the one who is met; "+
					"without it the table is read for the individual itself", what, Describe(p.Value))
			}
		default:
			if inFile {
				continue
			}
			e := TableEntry{Of: Ref{Name: p.Name, At: r.Place(p.Key)}, Other: p.Name == "other"}
			e.Value = r.Value(p.Value, what+": "+diag.Shorten(p.Name), want)
			t.Entries = append(t.Entries, e)
		}
	}
	by := diag.Shorten(t.By.Name)
	if inFile && r.Count == before && !r.tableFile(t, n, what) {
		return nil
	}
	switch {
	case r.Count > before:
		return nil
	case len(t.Entries) == 0:
		r.Fail(n, "%s: a table without values; expected one for each value of %s, as in %s", what, by, exampleTable)
		return nil
	}
	for i := range t.Entries {
		if in := t.Entries[i].Value.Table; in != nil && in.By.Name == t.By.Name && in.Met == t.Met {
			r.Add(in.By.At, "%s: a table by %s in a table by %s; expected another attribute", what, by, by)
			return nil
		}
	}
	return t
}

// Describe names the attribute for a message, and of whom it is if that is not the individual
// itself.
func (t *Table) Describe() string {
	if t.Met {
		return t.By.Name + " of the one who is met"
	}
	return t.By.Name
}

// Tables by group may be in a file, for models with hundreds of groups:
//
//	attributes: {region: {file: regions.csv, column: people}}       first column region
//	{by: region, file: leave.csv, column: rate, unit: per year}     first column region
//	move: {region: {by: home, file: od.csv, column: people}}        first columns home and to

// The keys of a table in a file, in messages.
const (
	exampleAttributeFile = "{file: regions.csv, column: people}"
	exampleTableFile     = "{by: region, file: leave.csv, column: rate, unit: per year}"
	exampleMoveFile      = "{by: home, file: od.csv, column: people}"
)

// A groupRow is a row of such a file: the names of the groups, and the number.
type groupRow struct {
	names  []Ref
	number float64
	share  bool // it is written as a percentage
	value  Value
}

// inFile reports whether a mapping names a file: the key file has the name of one, and not a share
// or another value of a group that is called file.
func (r *Reader) inFile(n *yaml.Node) bool {
	file := r.Lookup(n, "file")
	if file == nil || file.Kind != yaml.ScalarNode || file.Tag == "!!null" {
		return false
	}
	text := strings.TrimSpace(file.Value)
	if _, err := quantity.Parse(text); err == nil || text == "rest" || r.Parameters[text] {
		return false
	}
	return HasKey(n, "column") || strings.HasSuffix(strings.ToLower(text), ".csv")
}

// groupRows reads a table by group: keys are the names of its first columns. It returns nil, and
// reports why, if it cannot. One is one of the unit of the column.
func (r *Reader) groupRows(
	f *Fields, what string, keys []string, one quantity.Quantity,
) (rows []groupRow, name string) {
	fileNode, columnNode := f.Need("file", "regions.csv"), f.Need("column", "people")
	if fileNode == nil || columnNode == nil {
		return nil, ""
	}
	name, ok := r.text(fileNode, what+": file", "the name of a file, such as regions.csv")
	column, ok2 := r.text(columnNode, what+": column", "the name of a column, such as people")
	if !ok || !ok2 {
		return nil, ""
	}
	text, err := r.Tables.Content(name)
	if err != nil {
		r.Fail(fileNode, "%s: file: %s: %v", what, diag.Quote(name), err)
		return nil, ""
	}
	in := tablefile.NewReader(text)
	at := func(field int) diag.Place {
		line, column := in.FieldPos(field)
		return diag.Place{File: name, Line: line, Column: column}
	}
	columns, ok := r.groupHeader(in, name, keys)
	if !ok {
		return nil, ""
	}
	k := slices.Index(columns[len(keys):], column) + len(keys)
	if k < len(keys) {
		others := func() []string { return columns[len(keys):] }
		r.Fail(columnNode, "%s: column: %s", what, diag.Unknown("column of "+diag.Shorten(name), column, others))
		return nil, ""
	}
	seen := map[string]bool{}
	for {
		row, err := in.Read()
		switch {
		case err == io.EOF && len(rows) == 0:
			r.Add(diag.Place{File: name, Line: 1, Column: 1}, "there is no row; expected one for each value of %s", keys[0])
			return nil, ""
		case err == io.EOF:
			return rows, name
		case errors.Is(err, csv.ErrFieldCount):
			r.Add(diag.Place{File: name, Line: tablefile.Line(err), Column: 1},
				"%s here, and %d names of columns; expected the same", format.Plural(len(row), "value"), len(columns))
			return nil, ""
		case err != nil:
			r.Add(diag.Place{File: name, Line: tablefile.Line(err), Column: 1}, "this is not a table: %v", tablefile.Reason(err))
			return nil, ""
		case len(rows) == tablefile.MaxRows:
			r.Add(at(0), "more than %d rows", tablefile.MaxRows)
			return nil, ""
		}
		one := groupRow{value: Value{At: at(k), Quantity: one}}
		for i := range keys {
			one.names = append(one.names, Ref{Name: strings.TrimSpace(row[i]), At: at(i)})
		}
		cell := strings.TrimSpace(row[k])
		number, percent := strings.CutSuffix(cell, "%")
		one.share = percent
		if one.number, ok = quantity.ParseNumber(number); !ok {
			r.Add(at(k), "%s: found %s, expected a number", diag.Shorten(column), diag.Quote(cell))
			return nil, ""
		}
		one.value.Text = diag.Shorten(cell)
		group := strings.TrimSpace(strings.Join(row[:len(keys)], "\x00"))
		if seen[group] {
			r.Add(at(0), "a second row for %s; expected one", quoteAll(one.names))
			return nil, ""
		}
		seen[group] = true
		rows = append(rows, one)
	}
}

// quoteAll lists names in quotes: "north" and "south".
func quoteAll(names []Ref) string {
	var all []string
	for _, n := range names {
		all = append(all, diag.Quote(n.Name))
	}
	return strings.Join(all, " and ")
}

// groupHeader reads the names of the columns, and checks the first ones.
func (r *Reader) groupHeader(in *csv.Reader, name string, keys []string) ([]string, bool) {
	fail := func(line, column int, format string, args ...any) ([]string, bool) {
		r.Add(diag.Place{File: name, Line: line, Column: column}, format, args...)
		return nil, false
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		return fail(1, 1, "the file is empty; expected a line with the names of the columns, %s first",
			strings.Join(keys, " and "))
	case err != nil:
		return fail(tablefile.Line(err), 1, "this is not a table: %v", tablefile.Reason(err))
	}
	columns := slices.Clone(header)
	line, _ := in.FieldPos(0)
	if words := strings.FieldsFunc(columns[0], func(c rune) bool { return c == ';' || c == '\t' }); len(columns) == 1 &&
		len(words) > 1 {
		return fail(line, 1, "there is one column, %s; expected a comma between two columns, and a point in numbers",
			diag.Quote(columns[0]))
	}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
		if k := slices.Index(columns[:i], columns[i]); k >= 0 {
			_, at := in.FieldPos(i)
			return fail(line, at, "a second column %s; expected one", diag.Quote(columns[i]))
		}
	}
	for i, key := range keys {
		if i >= len(columns) || columns[i] != key {
			found := "missing"
			if i < len(columns) {
				found = diag.Quote(columns[i])
			}
			return fail(line, 1, "column %d is %s; expected %s", i+1, found, diag.Quote(key))
		}
	}
	return columns, true
}

// weights turns the numbers of rows into shares of their sum. It reports false, and adds a problem,
// if one is negative or all are 0.
func (r *Reader) weights(rows []groupRow, whose string) bool {
	sum := 0.0
	for i := range rows {
		if !(rows[i].number >= 0) {
			r.Add(rows[i].value.At, "%s: a weight cannot be negative", rows[i].value.Text)
			return false
		}
		sum += rows[i].number
	}
	if !(sum > 0) || sum > maxWeights {
		r.Add(rows[0].value.At, "%s weights add up to %.6g; expected more than 0, and not more than %.6g", whose, sum,
			maxWeights)
		return false
	}
	for i := range rows {
		rows[i].value.Quantity = quantity.Quantity{Kind: quantity.Share, Number: rows[i].number / sum}
	}
	return true
}

// maxWeights is the most that weights may add up to.
const maxWeights = 1e100

// attributeFile reads an attribute whose values and their weights are in a file.
func (r *Reader) attributeFile(a *Attribute, n *yaml.Node, what string) {
	f := r.Fields(n, what, exampleAttributeFile, "file", "column")
	if f == nil {
		return
	}
	rows, name := r.groupRows(f, what, []string{a.Name}, quantity.Quantity{})
	rows = slices.DeleteFunc(rows, func(row groupRow) bool {
		return !r.checkNameAt(row.names[0].At, what, row.names[0].Name)
	})
	if len(rows) == 0 || !r.weights(rows, "the") {
		return
	}
	a.File = name
	for i := range rows {
		a.Values, a.Shares = append(a.Values, rows[i].names[0]), append(a.Shares, rows[i].value)
	}
}

// tableFile reads the entries of a table from a file. It reports whether it could.
func (r *Reader) tableFile(t *Table, n *yaml.Node, what string) bool {
	f := r.Fields(n, what, exampleTableFile, "by", "of", "file", "column", "unit")
	if f == nil {
		return false
	}
	one := quantity.Quantity{Kind: quantity.Number, Number: 1}
	if unit := f.Get("unit"); unit != nil {
		var ok bool
		if one, ok = r.columnUnit(unit, what); !ok {
			return false
		}
	}
	rows, name := r.groupRows(f, what, []string{t.By.Name}, one)
	t.File = name
	for i := range rows {
		row := &rows[i]
		switch q := &row.value.Quantity; {
		case row.share && one.Kind != quantity.Number:
			r.Add(row.value.At, "found %s, expected a number: the unit is beside the file", diag.Quote(row.value.Text))
			return false
		case row.share || one.Kind == quantity.Share:
			*q = quantity.Quantity{Kind: quantity.Share, Number: row.number / 100}
		default:
			q.Number *= row.number
		}
		t.Entries = append(t.Entries, TableEntry{Of: row.names[0], Value: row.value})
	}
	return rows != nil
}

// givesFile reads what a move gives from a file: for each group the weights of the values. It
// reports whether it could.
func (r *Reader) givesFile(g *Gives, n *yaml.Node, what string) bool {
	f := r.Fields(n, what, exampleMoveFile, "by", "file", "column")
	if f == nil {
		return false
	}
	rows, name := r.groupRows(f, what, []string{g.By.Name, "to"}, quantity.Quantity{})
	g.File = name
	number := map[string]int{} // of the group among Cases
	var of [][]groupRow
	for _, row := range rows {
		k, ok := number[row.names[0].Name]
		if !ok {
			k = len(of)
			number[row.names[0].Name] = k
			of = append(of, nil)
		}
		of[k] = append(of[k], row)
	}
	for _, rows := range of {
		from := rows[0].names[0]
		if !r.weights(rows, diag.Shorten(from.Name)+": its") {
			return false
		}
		one := GivesCase{Of: from, Gives: Gives{At: rows[0].value.At}}
		for i := range rows {
			one.Gives.Shares = append(one.Gives.Shares, EnterShare{State: rows[i].names[1], Share: rows[i].value})
		}
		g.Cases = append(g.Cases, one)
	}
	return len(g.Cases) > 0
}
