package results

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// A table in JSON is a list of blocks of up to blockRows rows. A block is an object with a list for
// each column, all of the same length: {"replica":[0,0],"time":[0,1],"count":[3,5]}. So a reader
// gets columns with their types in one pass, without more text than CSV has. A table without rows
// has one block of empty lists.

// blockRows is how many rows are held in memory before they are written, as in Parquet.
const blockRows = 1 << 16

// A jsonSink collects a block, column by column.
type jsonSink struct {
	w       *bufio.Writer
	columns []column
	names   [][]byte // as JSON
	lists   [][]byte // of the block so far
	rows    int
	blocks  int
	quoted  map[string][]byte // texts as JSON, which come again and again
}

func newJSONSink(w io.Writer, columns []column) *jsonSink {
	s := &jsonSink{w: bufio.NewWriterSize(w, 1<<16), columns: columns, lists: make([][]byte, len(columns)),
		quoted: map[string][]byte{}}
	for _, c := range columns {
		s.names = append(s.names, s.quote(c.name))
	}
	return s
}

// quote is a text as JSON.
func (s *jsonSink) quote(text string) []byte {
	if q, ok := s.quoted[text]; ok {
		return q
	}
	q, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // a text can be encoded
	}
	if len(s.quoted) < 1<<12 {
		s.quoted[text] = q
	}
	return q
}

func (s *jsonSink) row(cells []cell) error {
	for i := range cells {
		b := s.lists[i]
		if s.rows > 0 {
			b = append(b, ',')
		}
		switch k, c := s.columns[i].kind, &cells[i]; {
		case k.missing(c), (k == number || k == optionalNumber) && (math.IsNaN(c.number) || math.IsInf(c.number, 0)):
			b = append(b, "null"...)
		case k == whole || k == optionalID || k == optionalWhole:
			b = strconv.AppendInt(b, c.whole, 10)
		case k == number || k == optionalNumber:
			b = strconv.AppendFloat(b, c.number, 'g', -1, 64)
		default:
			b = append(b, s.quote(c.text)...)
		}
		s.lists[i] = b
	}
	if s.rows++; s.rows == blockRows {
		return s.flush()
	}
	return nil
}

// begin writes what precedes a block.
func (s *jsonSink) begin() {
	before := "[\n"
	if s.blocks > 0 {
		before = ",\n"
	}
	s.blocks++
	_, _ = s.w.WriteString(before) // close tells
}

func (s *jsonSink) flush() error {
	s.begin()
	for i, name := range s.names {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		_ = s.w.WriteByte(separator) // close tells
		_, _ = s.w.Write(name)
		_, _ = s.w.WriteString(":[")
		_, _ = s.w.Write(s.lists[i])
		_ = s.w.WriteByte(']')
		s.lists[i] = s.lists[i][:0]
	}
	s.rows = 0
	return s.w.WriteByte('}')
}

func (s *jsonSink) append(r io.ReaderAt, size int64) error {
	if s.rows > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	d := json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		var block json.RawMessage
		if err := d.Decode(&block); err != nil {
			return err
		}
		s.begin()
		if _, err := s.w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

func (s *jsonSink) close() error {
	if s.rows > 0 || s.blocks == 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	_, _ = s.w.WriteString("\n]\n") // Flush tells
	return s.w.Flush()
}

// A jsonSource reads a table block by block.
type jsonSource struct {
	d     *json.Decoder
	names []string
	block [][]any // by column
	at    int
	cells []cell
}

func newJSONSource(r io.Reader) (*jsonSource, error) {
	s := &jsonSource{d: json.NewDecoder(bufio.NewReaderSize(r, 1<<16))}
	s.d.UseNumber()
	if err := s.expect('['); err != nil {
		return nil, err
	}
	if !s.d.More() {
		return nil, fmt.Errorf("results: the table is empty")
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	s.cells = make([]cell, len(s.names))
	return s, nil
}

func (s *jsonSource) expect(want json.Delim) error {
	switch token, err := s.d.Token(); {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case token != want:
		return fmt.Errorf("results: found %v, expected %v: a list of blocks, each an object of columns", token, want)
	}
	return nil
}

// read reads a block, whose columns are those of the first.
func (s *jsonSource) read() error {
	if err := s.expect('{'); err != nil {
		return err
	}
	first := s.block == nil
	block := make([][]any, 0, len(s.names))
	for s.d.More() {
		token, err := s.d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		var column []any
		if err := s.d.Decode(&column); err != nil {
			return fmt.Errorf("results: column %s: %w", name, err)
		}
		k := len(block)
		block = append(block, column)
		switch {
		case first:
			s.names = append(s.names, name)
		case k >= len(s.names) || s.names[k] != name:
			return fmt.Errorf("results: the blocks have different columns: %s", name)
		}
		if len(column) != len(block[0]) {
			return fmt.Errorf("results: column %s has %d rows, others %d", name, len(column), len(block[0]))
		}
	}
	if len(block) != len(s.names) || len(block) == 0 {
		return fmt.Errorf("results: a block has %d columns, expected %d", len(block), len(s.names))
	}
	s.block, s.at = block, 0
	return s.expect('}')
}

func (s *jsonSource) columns() []string { return s.names }

func (s *jsonSource) close() error { return nil }

func (s *jsonSource) next() ([]cell, error) {
	for s.at == len(s.block[0]) {
		if !s.d.More() {
			if err := s.expect(']'); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	for i, column := range s.block {
		c := cell{number: math.NaN()}
		switch v := column[s.at].(type) {
		case nil: // as an empty field of CSV
		case string:
			c = textCell(v)
		case json.Number:
			c = textCell(v.String())
		default:
			return nil, fmt.Errorf("results: column %s: found %v, expected a number or a text", s.names[i], v)
		}
		s.cells[i] = c
	}
	s.at++
	return s.cells, nil
}
