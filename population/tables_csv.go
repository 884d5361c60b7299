package population

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
	"go.yaml.in/yaml/v3"
)

// The limits of the tables that a model reads.
const (
	mostFile = 16 << 20 // bytes
	mostRows = 100_000
)

// tableFiles are the tables that have been read.
type tableFiles struct {
	read   func(name string) ([]byte, error)
	have   map[string][]byte
	failed map[string]error
}

// content is a table's, read once.
func (t *tableFiles) content(name string) ([]byte, error) {
	if t == nil || t.read == nil {
		return nil, errors.New("tables are not read here")
	}
	if text, ok := t.have[name]; ok {
		return text, nil
	}
	if err, ok := t.failed[name]; ok {
		return nil, err
	}
	text, err := t.read(name)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		err = path.Err // the name is said by whoever asks
	case err == nil && len(text) > mostFile:
		err = fmt.Errorf("it is larger than %d MB", mostFile>>20)
	}
	if err != nil {
		t.failed[name] = err
		return nil, err
	}
	t.have[name] = text
	return text, nil
}

// fromFile reads steps or a line from a table.
func (r *reader) fromFile(c *courseValue, n *yaml.Node, what string) {
	f := r.fields(n, what, likeFile, "file", "column", "unit")
	if f == nil {
		return
	}
	fileNode, columnNode := f.need("file", "beta.csv"), f.need("column", "beta")
	if fileNode == nil || columnNode == nil {
		return
	}
	name, ok := r.text(fileNode, what+": file", "the name of a file, such as beta.csv")
	column, ok2 := r.text(columnNode, what+": column", "the name of a column, such as beta")
	if !ok || !ok2 {
		return
	}
	of := quantity{kind: aNumber, number: 1}
	if u := f.get("unit"); u != nil {
		text, ok := r.text(u, what+": unit", "a unit such as per day")
		if !ok {
			return
		}
		var err error
		if of, err = parseQuantity("1" + map[bool]string{false: " "}[text == "%"] + text); err != nil || of.kind == aNumber {
			r.fail(u, "%s: unit: found %s, expected what is written behind a number, such as per day, days or %%", what, quote(text))
			return
		}
	}
	text, err := r.tables.content(name)
	if err != nil {
		r.fail(fileNode, "%s: file: %s: %v", what, quote(name), err)
		return
	}
	c.knots = r.columnOf(name, text, column, of, columnNode, what)
}

// newTable reads a table as programs write them: with a mark of its byte order, with comments, with any ends of lines.
func newTable(text []byte) *csv.Reader {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !bytes.ContainsRune(text, '\n') {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // lines that end as they once did
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment, in.TrimLeadingSpace, in.ReuseRecord = '#', true, true
	return in
}

// columnOf reads a column of a table, with the times of its rows.
func (r *reader) columnOf(name string, text []byte, column string, of quantity, asked *yaml.Node, what string) []knotText {
	in := newTable(text)
	refuse := func(line, column int, format string, args ...any) []knotText {
		r.add(place{name, line, column}, format, args...)
		return nil
	}
	header, err := in.Read()
	switch {
	case err == io.EOF:
		return refuse(1, 1, "the file is empty; expected a line with the names of the columns, time or date first")
	case err != nil:
		return refuse(csvLine(err), 1, "this is not a table: %v", csvReason(err))
	}
	header = slices.Clone(header)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	dated := header[0] == "date"
	if !dated && header[0] != "time" {
		line, _ := in.FieldPos(0)
		if word := strings.FieldsFunc(header[0], func(c rune) bool { return c == ';' || c == '\t' }); len(header) == 1 && len(word) > 1 {
			return refuse(line, 1, "there is one column, %s; expected a comma between two columns, and a point in numbers", quote(header[0]))
		}
		return refuse(line, 1, "the first column is %s; expected time, in the unit of the model, or date", quote(header[0]))
	}
	k := slices.Index(header[1:], column) + 1
	if k == 0 {
		r.fail(asked, "%s: column: %s", what, unknown("column of "+echo(name), column, func() []string { return header[1:] }))
		return nil
	}
	if slices.Contains(header[k+1:], column) {
		line, at := in.FieldPos(k + 1 + slices.Index(header[k+1:], column))
		return refuse(line, at, "a second column %s; expected one", quote(column))
	}
	var knots []knotText
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			return refuse(csvLine(err), 1, "%s here, and %d names of columns; expected the same", format.Plural(len(row), "value"), len(header))
		}
		if err != nil {
			return refuse(csvLine(err), 1, "this is not a table: %v", csvReason(err))
		}
		line, first := in.FieldPos(0)
		if len(knots) == mostRows {
			return refuse(line, first, "more than %d rows", mostRows)
		}
		q, err := parseQuantity(row[0])
		if dated != (q.kind == aDate) || !dated && q.kind != aNumber || err != nil {
			expected := "a number, the time in the unit of the model"
			if dated {
				expected = "a date such as 2020-03-01"
			}
			return refuse(line, first, "%s: found %s, expected %s", header[0], quote(row[0]), expected)
		}
		line, at := in.FieldPos(k)
		x, ok := parseNumber(strings.TrimSpace(row[k]))
		if !ok {
			return refuse(line, at, "%s: found %s, expected a number", echo(column), quote(row[k]))
		}
		y := of
		if y.number *= x; of.kind == aShare {
			y.number = x / 100
		}
		cell := place{name, line, at}
		knots = append(knots, knotText{at: place{name, line, first}, text: echo(strings.TrimSpace(row[0])), time: q,
			value: value{at: cell, text: echo(strings.TrimSpace(row[k])), quantity: y}})
	}
	if len(knots) == 0 {
		return refuse(1, 1, "there is no row; expected at least one")
	}
	return knots
}

// csvLine is the line that an error of package csv is about, and csvReason what it says.
func csvLine(err error) int {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Line
	}
	return 1
}

func csvReason(err error) error {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
