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
	"go.yaml.in/yaml/v3"
)

// The limits of the tables that a model reads.
const (
	MostFile = 16 << 20 // bytes
	MostRows = 100_000
)

// TableFiles are the tables that have been read.
type TableFiles struct {
	Read   func(name string) ([]byte, error)
	Have   map[string][]byte
	Failed map[string]error
}

// content is a table's, read once.
func (t *TableFiles) content(name string) ([]byte, error) {
	if t == nil || t.Read == nil {
		return nil, errors.New("tables are not read here")
	}
	if text, ok := t.Have[name]; ok {
		return text, nil
	}
	if err, ok := t.Failed[name]; ok {
		return nil, err
	}
	text, err := t.Read(name)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		err = path.Err // the name is said by whoever asks
	case err == nil && len(text) > MostFile:
		err = fmt.Errorf("it is larger than %d MB", MostFile>>20)
	}
	if err != nil {
		t.Failed[name] = err
		return nil, err
	}
	t.Have[name] = text
	return text, nil
}

// NewTable reads a table as programs write them: with a mark of its byte order, with comments, with any ends of lines.
func NewTable(text []byte) *csv.Reader {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !bytes.ContainsRune(text, '\n') {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // lines that end as they once did
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment, in.TrimLeadingSpace, in.ReuseRecord = '#', true, true
	return in
}

// CsvLine is the line that an error of package csv is about, and csvReason what it says.
func CsvLine(err error) int {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Line
	}
	return 1
}

func CsvReason(err error) error {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// knotsFromFile reads steps or a line from a table.
func (r *Reader) knotsFromFile(c *TimeVarying, n *yaml.Node, what string) {
	f := r.Fields(n, what, exampleFile, "file", "column", "unit")
	if f == nil {
		return
	}
	fileNode, columnNode := f.Need("file", "beta.csv"), f.Need("column", "beta")
	if fileNode == nil || columnNode == nil {
		return
	}
	name, ok := r.text(fileNode, what+": file", "the name of a file, such as beta.csv")
	column, ok2 := r.text(columnNode, what+": column", "the name of a column, such as beta")
	if !ok || !ok2 {
		return
	}
	of := Quantity{Kind: KindNumber, Number: 1}
	if u := f.Get("unit"); u != nil {
		text, ok := r.text(u, what+": unit", "a unit such as per day")
		if !ok {
			return
		}
		var err error
		if of, err = ParseQuantity("1" + map[bool]string{false: " "}[text == "%"] + text); err != nil || of.Kind == KindNumber {
			r.Fail(u, "%s: unit: found %s, expected what is written behind a number, such as per day, days or %%", what, diag.Quote(text))
			return
		}
	}
	text, err := r.Tables.content(name)
	if err != nil {
		r.Fail(fileNode, "%s: file: %s: %v", what, diag.Quote(name), err)
		return
	}
	c.Knots = r.readColumn(name, text, column, of, columnNode, what)
}

// readColumn reads a column of a table, with the times of its rows.
func (r *Reader) readColumn(name string, text []byte, column string, of Quantity, asked *yaml.Node, what string) []Knot {
	in := NewTable(text)
	refuse := func(line, column int, format string, args ...any) []Knot {
		r.Add(diag.Place{File: name, Line: line, Column: column}, format, args...)
		return nil
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		return refuse(1, 1, "the file is empty; expected a line with the names of the columns, time or date first")
	case err != nil:
		return refuse(CsvLine(err), 1, "this is not a table: %v", CsvReason(err))
	}
	header = slices.Clone(header)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	dated := header[0] == "date"
	if !dated && header[0] != "time" {
		line, _ := in.FieldPos(0)
		if word := strings.FieldsFunc(header[0], func(c rune) bool { return c == ';' || c == '\t' }); len(header) == 1 && len(word) > 1 {
			return refuse(line, 1, "there is one column, %s; expected a comma between two columns, and a point in numbers", diag.Quote(header[0]))
		}
		return refuse(line, 1, "the first column is %s; expected time, in the unit of the model, or date", diag.Quote(header[0]))
	}
	k := slices.Index(header[1:], column) + 1
	if k == 0 {
		r.Fail(asked, "%s: column: %s", what, diag.Unknown("column of "+diag.Echo(name), column, func() []string { return header[1:] }))
		return nil
	}
	if slices.Contains(header[k+1:], column) {
		line, at := in.FieldPos(k + 1 + slices.Index(header[k+1:], column))
		return refuse(line, at, "a second column %s; expected one", diag.Quote(column))
	}
	var knots []Knot
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			return refuse(CsvLine(err), 1, "%s here, and %d names of columns; expected the same", format.Plural(len(row), "value"), len(header))
		}
		if err != nil {
			return refuse(CsvLine(err), 1, "this is not a table: %v", CsvReason(err))
		}
		line, first := in.FieldPos(0)
		if len(knots) == MostRows {
			return refuse(line, first, "more than %d rows", MostRows)
		}
		q, err := ParseQuantity(row[0])
		if dated != (q.Kind == KindDate) || !dated && q.Kind != KindNumber || err != nil {
			expected := "a number, the time in the unit of the model"
			if dated {
				expected = "a date such as 2020-03-01"
			}
			return refuse(line, first, "%s: found %s, expected %s", header[0], diag.Quote(row[0]), expected)
		}
		line, at := in.FieldPos(k)
		x, ok := ParseNumber(strings.TrimSpace(row[k]))
		if !ok {
			return refuse(line, at, "%s: found %s, expected a number", diag.Echo(column), diag.Quote(row[k]))
		}
		y := of
		if y.Number *= x; of.Kind == KindShare {
			y.Number = x / 100
		}
		cell := diag.Place{File: name, Line: line, Column: at}
		knots = append(knots, Knot{At: diag.Place{File: name, Line: line, Column: first}, Text: diag.Echo(strings.TrimSpace(row[0])), Time: q,
			Value: Value{At: cell, Text: diag.Echo(strings.TrimSpace(row[k])), Quantity: y}})
	}
	if len(knots) == 0 {
		return refuse(1, 1, "there is no row; expected at least one")
	}
	return knots
}
