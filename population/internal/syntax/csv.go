package syntax

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// The limits of a CSV file that a model names.
const (
	MaxTableBytes = 16 << 20 // bytes
	MaxTableRows  = 100_000
)

// TableFiles are the CSV files of a model. Each is read once.
type TableFiles struct {
	Read     func(name string) ([]byte, error)
	Contents map[string][]byte // contents of those that have been read
	Failed   map[string]error  // why the others could not be

	// Open opens those that are read from beginning to end. It may be nil or return nil, to use Read.
	Open     func(name string) (Stream, error)
	Progress func(name string, done, of int64) // of reading one of these, in bytes; may be nil
	Cache    *FileCache                        // may be nil
}

// content returns the content of a file.
func (t *TableFiles) content(name string) ([]byte, error) {
	if t == nil || t.Read == nil {
		return nil, errors.New("tables are not read here")
	}
	if text, ok := t.Contents[name]; ok {
		return text, nil
	}
	if err, ok := t.Failed[name]; ok {
		return nil, err
	}
	text, err := t.Read(name)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		err = path.Err // without the name, which the caller's message has
	case err == nil && len(text) > MaxTableBytes:
		err = fmt.Errorf("it is larger than %d MB", MaxTableBytes>>20)
	}
	if err != nil {
		t.Failed[name] = err
		return nil, err
	}
	t.Contents[name] = text
	return text, nil
}

// NewCSVReader returns a reader of CSV as programs write it: with or without a byte-order mark,
// with comments after #, and with any line ends.
func NewCSVReader(text []byte) *csv.Reader {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !bytes.ContainsRune(text, '\n') {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // the line ends of old Macintoshes
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment, in.TrimLeadingSpace, in.ReuseRecord = '#', true, true
	return in
}

// CSVLine returns the line that an error of package csv is about, or 1.
func CSVLine(err error) int {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Line
	}
	return 1
}

// CSVReason returns what an error of package csv says, without the line.
func CSVReason(err error) error {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// knotsFromFile reads the knots of steps or line from a CSV file:
// {file: beta.csv, column: beta, unit: per day}.
func (r *Reader) knotsFromFile(n *yaml.Node, what string) []Knot {
	f := r.Fields(n, what, exampleFile, "file", "column", "unit")
	if f == nil {
		return nil
	}
	fileNode, columnNode := f.Need("file", "beta.csv"), f.Need("column", "beta")
	if fileNode == nil || columnNode == nil {
		return nil
	}
	name, ok := r.text(fileNode, what+": file", "the name of a file, such as beta.csv")
	column, ok2 := r.text(columnNode, what+": column", "the name of a column, such as beta")
	if !ok || !ok2 {
		return nil
	}
	one := quantity.Quantity{Kind: quantity.Number, Number: 1} // of the unit
	if u := f.Get("unit"); u != nil {
		if one, ok = r.columnUnit(u, what); !ok {
			return nil
		}
	}
	text, err := r.Tables.content(name)
	if err != nil {
		r.Fail(fileNode, "%s: file: %s: %v", what, diag.Quote(name), err)
		return nil
	}
	return r.readColumn(name, text, column, one, columnNode, what)
}

// columnUnit reads the unit of a column, and returns one of that unit.
func (r *Reader) columnUnit(n *yaml.Node, what string) (quantity.Quantity, bool) {
	text, ok := r.text(n, what+": unit", "a unit such as per day")
	if !ok {
		return quantity.Quantity{}, false
	}
	one := "1 " + text
	if text == "%" {
		one = "1%"
	}
	q, err := quantity.Parse(one)
	if err != nil || q.Kind == quantity.Number {
		r.Fail(n, "%s: unit: found %s, expected what is written behind a number, such as per day, days or %%",
			what, diag.Quote(text))
		return quantity.Quantity{}, false
	}
	return q, true
}

// readColumn reads a column of a CSV file with the times of its rows, which are in the first
// column. one is one of the column's unit. A column that the file does not have is reported at
// asked.
func (r *Reader) readColumn(
	name string, text []byte, column string, one quantity.Quantity, asked *yaml.Node, what string,
) []Knot {
	in := NewCSVReader(text)
	fail := func(line, column int, format string, args ...any) []Knot {
		r.Add(diag.Place{File: name, Line: line, Column: column}, format, args...)
		return nil
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		return fail(1, 1, "the file is empty; expected a line with the names of the columns, time or date first")
	case err != nil:
		return fail(CSVLine(err), 1, "this is not a table: %v", CSVReason(err))
	}
	header = slices.Clone(header)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	dated := header[0] == "date"
	if !dated && header[0] != "time" {
		line, _ := in.FieldPos(0)
		words := strings.FieldsFunc(header[0], func(c rune) bool { return c == ';' || c == '\t' })
		if len(header) == 1 && len(words) > 1 {
			return fail(line, 1, "there is one column, %s; "+
				"expected a comma between two columns, and a point in numbers",
				diag.Quote(header[0]))
		}
		return fail(line, 1, "the first column is %s; expected time, in the unit of the model, or date",
			diag.Quote(header[0]))
	}
	k := slices.Index(header[1:], column) + 1
	if k == 0 {
		columns := func() []string { return header[1:] }
		r.Fail(asked, "%s: column: %s", what, diag.Unknown("column of "+diag.Shorten(name), column, columns))
		return nil
	}
	if slices.Contains(header[k+1:], column) {
		line, at := in.FieldPos(k + 1 + slices.Index(header[k+1:], column))
		return fail(line, at, "a second column %s; expected one", diag.Quote(column))
	}
	var knots []Knot
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			return fail(CSVLine(err), 1, "%s here, and %d names of columns; expected the same",
				format.Plural(len(row), "value"), len(header))
		}
		if err != nil {
			return fail(CSVLine(err), 1, "this is not a table: %v", CSVReason(err))
		}
		line, first := in.FieldPos(0)
		if len(knots) == MaxTableRows {
			return fail(line, first, "more than %d rows", MaxTableRows)
		}
		q, err := quantity.Parse(row[0])
		if dated != (q.Kind == quantity.Date) || !dated && q.Kind != quantity.Number || err != nil {
			expected := "a number, the time in the unit of the model"
			if dated {
				expected = "a date such as 2020-03-01"
			}
			return fail(line, first, "%s: found %s, expected %s", header[0], diag.Quote(row[0]), expected)
		}
		line, at := in.FieldPos(k)
		x, ok := quantity.ParseNumber(strings.TrimSpace(row[k]))
		if !ok {
			return fail(line, at, "%s: found %s, expected a number", diag.Shorten(column), diag.Quote(row[k]))
		}
		y := one
		if y.Number *= x; one.Kind == quantity.Share {
			y.Number = x / 100
		}
		cell := diag.Place{File: name, Line: line, Column: at}
		knots = append(knots, Knot{
			At:    diag.Place{File: name, Line: line, Column: first},
			Text:  diag.Shorten(strings.TrimSpace(row[0])),
			Time:  q,
			Value: Value{At: cell, Text: diag.Shorten(strings.TrimSpace(row[k])), Quantity: y},
		})
	}
	if len(knots) == 0 {
		return fail(1, 1, "there is no row; expected at least one")
	}
	return knots
}
