package results

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Format is how a table is written.
type Format string

// The formats, which are also the endings of the files' names.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
	JSON    Format = "json" // a list of blocks, each with a list for each column
)

// Formats returns all formats.
func Formats() []Format { return []Format{CSV, Parquet, JSON} }

// A kind of column.
type kind uint8

const (
	whole  kind = iota // a whole number
	number             // any number
	text
	optionalText // a text that is missing if it is empty
	optionalID   // a whole number that is missing if it is 0

	optionalWhole  // a whole number that is missing if it is negative
	optionalNumber // a number that is missing if it is NaN
)

// optional reports whether values of a column of this kind may be missing.
func (k kind) optional() bool { return k >= optionalText }

// missing reports whether there is no value in a cell of a column of this kind.
func (k kind) missing(c *cell) bool {
	switch k {
	case optionalText:
		return c.text == ""
	case optionalID:
		return c.whole == 0
	case optionalWhole:
		return c.whole < 0
	case optionalNumber:
		return math.IsNaN(c.number)
	}
	return false
}

// A column of a table. Values that come again and again are kept once, in Parquet.
type column struct {
	name    string
	kind    kind
	repeats bool
}

// A cell is one value. A sink reads the part for the kind of its column. A source sets what it can:
// of a number in CSV, all three; number is NaN if there is no number.
type cell struct {
	whole  int64
	number float64
	text   string
}

// A sink takes a table, row by row. What it is given is not kept.
type sink interface {
	row([]cell) error
	// append adds the rows of another table with the same columns and of the same format.
	append(r io.ReaderAt, size int64) error
	close() error
}

// newSink begins a table.
func newSink(w io.Writer, f Format, name string, columns []column) (sink, error) {
	switch f {
	case CSV:
		return newCSVSink(w, columns), nil
	case Parquet:
		return newParquetSink(w, name, columns), nil
	case JSON:
		return newJSONSink(w, columns), nil
	}
	return nil, fmt.Errorf("results: there is no format %q; expected csv, parquet or json", f)
}

// A source gives a table back, row by row.
type source interface {
	columns() []string
	// next is a row, in the order of the columns, or io.EOF after the last. It is good until the
	// next one.
	next() ([]cell, error)
	close() error
}

// A csvSink writes numbers with as many digits as they need.
type csvSink struct {
	w       *bufio.Writer
	columns []column
	line    []byte
}

func newCSVSink(w io.Writer, columns []column) *csvSink {
	s := &csvSink{w: bufio.NewWriterSize(w, 1<<16), columns: columns}
	for i, c := range columns {
		s.line = appendField(s.comma(i), c.name)
	}
	s.line = append(s.line, '\n')
	_, _ = s.w.Write(s.line) // close tells
	return s
}

func (s *csvSink) comma(column int) []byte {
	if column == 0 {
		return s.line[:0]
	}
	return append(s.line, ',')
}

func (s *csvSink) row(cells []cell) error {
	for i := range cells {
		b := s.comma(i)
		switch k := s.columns[i].kind; {
		case k.missing(&cells[i]), k == number && math.IsNaN(cells[i].number): // a deviation of one replica, say
			s.line = b
		case k == whole || k == optionalID || k == optionalWhole:
			s.line = strconv.AppendInt(b, cells[i].whole, 10)
		case k == number || k == optionalNumber:
			s.line = strconv.AppendFloat(b, cells[i].number, 'g', -1, 64)
		default:
			s.line = appendField(b, cells[i].text)
		}
	}
	_, err := s.w.Write(append(s.line, '\n'))
	return err
}

func (s *csvSink) append(r io.ReaderAt, size int64) error {
	all := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16)
	if _, err := all.ReadString('\n'); err != nil {
		return err
	}
	_, err := io.Copy(s.w, all)
	return err
}

func (s *csvSink) close() error { return s.w.Flush() }

// appendField quotes a field where CSV wants it.
func appendField(b []byte, field string) []byte {
	for i := range len(field) {
		if c := field[i]; c == ',' || c == '"' || c == '\n' || c == '\r' {
			b = append(b, '"')
			b = append(b, strings.ReplaceAll(field, `"`, `""`)...)
			return append(b, '"')
		}
	}
	return append(b, field...)
}

// A csvSource reads all that can be a number as one, too: what a column is, the reader of the table
// knows.
type csvSource struct {
	r      *csv.Reader
	header []string
	cells  []cell
}

func newCSVSource(r io.Reader) (*csvSource, error) {
	s := &csvSource{r: csv.NewReader(bufio.NewReaderSize(r, 1<<16))}
	header, err := s.r.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("results: the table is empty")
	}
	if err != nil {
		return nil, err
	}
	s.header, s.cells = header, make([]cell, len(header))
	s.r.ReuseRecord = true
	return s, nil
}

func (s *csvSource) columns() []string { return s.header }

func (s *csvSource) close() error { return nil }

func (s *csvSource) next() ([]cell, error) {
	fields, err := s.r.Read()
	if err != nil {
		return nil, err
	}
	for i, f := range fields {
		s.cells[i] = textCell(f)
	}
	return s.cells, nil
}

// textCell is a cell with a text, and with its number if it can be one.
func textCell(f string) cell {
	c := cell{text: f, number: math.NaN()}
	if f != "" && (f[0] >= '0' && f[0] <= '9' || f[0] == '-' || f[0] == '.' || f[0] == '+') {
		if n, err := strconv.ParseInt(f, 10, 64); err == nil {
			c.whole, c.number = n, float64(n)
		} else if x, err := strconv.ParseFloat(f, 64); err == nil {
			c.number, c.whole = x, int64(x)
		}
	}
	return c
}
