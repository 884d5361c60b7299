package results

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

const (
	groupRows = 1 << 16 // rows of a row group, which is as much as is held in memory
	someRows  = 256     // rows that are handed over at once
)

// A parquetSink writes a table in row groups.
type parquetSink struct {
	w       *parquet.GenericWriter[any]
	columns []column
	rows    []parquet.Row
	filled  int
	texts   map[string][]byte // those that have been written: they come again and again
}

// schemaOf makes a schema whose columns are in the order of the table, as those of a struct are; a
// group of nodes would have them sorted.
func schemaOf(name string, columns []column) *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range columns {
		t := reflect.TypeFor[string]()
		switch c.kind {
		case whole, optionalID, optionalWhole:
			t = reflect.TypeFor[int64]()
		case number, optionalNumber:
			t = reflect.TypeFor[float64]()
		}
		tag := c.name + ",snappy"
		if c.repeats {
			tag += ",dict"
		}
		if c.kind.optional() {
			tag += ",optional"
		}
		fields = append(
			fields,
			reflect.StructField{
				Name: fmt.Sprintf("C%d", i),
				Type: t,
				Tag:  reflect.StructTag(fmt.Sprintf("parquet:%q", tag)),
			},
		)
	}
	return parquet.NewSchema(name, parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}

func newParquetSink(w io.Writer, name string, columns []column) *parquetSink {
	s := &parquetSink{columns: columns, rows: make([]parquet.Row, someRows), texts: map[string][]byte{}}
	s.w = parquet.NewGenericWriter[any](w, schemaOf(name, columns), parquet.MaxRowsPerRowGroup(groupRows),
		parquet.CreatedBy("almanac", "", ""))
	for i := range s.rows {
		s.rows[i] = make(parquet.Row, len(columns))
	}
	return s
}

func (s *parquetSink) row(cells []cell) error {
	row := s.rows[s.filled]
	for i, c := range cells {
		k, level := s.columns[i].kind, 0
		if k.optional() {
			level = 1
		}
		switch {
		case k.missing(&c):
			row[i] = parquet.NullValue().Level(0, 0, i)
		case k == whole || k == optionalID || k == optionalWhole:
			row[i] = parquet.Int64Value(c.whole).Level(0, level, i)
		case k == number || k == optionalNumber:
			row[i] = parquet.DoubleValue(c.number).Level(0, level, i)
		default:
			row[i] = parquet.ByteArrayValue(s.bytes(c.text)).Level(0, level, i)
		}
	}
	if s.filled++; s.filled == len(s.rows) {
		return s.flush()
	}
	return nil
}

// bytes is a text as bytes, which are not changed.
func (s *parquetSink) bytes(text string) []byte {
	b, ok := s.texts[text]
	if !ok {
		b = []byte(text)
		if len(s.texts) < groupRows {
			s.texts[text] = b
		}
	}
	return b
}

func (s *parquetSink) flush() error {
	_, err := s.w.WriteRows(s.rows[:s.filled])
	s.filled = 0
	return err
}

func (s *parquetSink) append(r io.ReaderAt, size int64) error {
	if err := s.flush(); err != nil {
		return err
	}
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		_, err := parquet.CopyRows(s.w, rows)
		if err := errors.Join(err, rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *parquetSink) close() error { return errors.Join(s.flush(), s.w.Close()) }

// A parquetSource reads a table one row group after the other.
type parquetSource struct {
	names  []string
	kinds  []parquet.Kind
	groups []parquet.RowGroup
	rows   parquet.Rows
	buffer []parquet.Row
	at, n  int
	cells  []cell
}

func newParquetSource(r io.ReaderAt, size int64) (*parquetSource, error) {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, err
	}
	s := &parquetSource{groups: f.RowGroups(), buffer: make([]parquet.Row, someRows)}
	for _, field := range f.Schema().Fields() {
		if !field.Leaf() {
			return nil, fmt.Errorf("results: column %s is not a plain one", field.Name())
		}
		s.names, s.kinds = append(s.names, field.Name()), append(s.kinds, field.Type().Kind())
	}
	s.cells = make([]cell, len(s.names))
	return s, nil
}

func (s *parquetSource) columns() []string { return s.names }

func (s *parquetSource) next() ([]cell, error) {
	for s.at == s.n {
		if s.rows == nil {
			if len(s.groups) == 0 {
				return nil, io.EOF
			}
			s.rows, s.groups = s.groups[0].Rows(), s.groups[1:]
		}
		n, err := s.rows.ReadRows(s.buffer)
		s.at, s.n = 0, n
		if err == io.EOF {
			err, s.rows = s.rows.Close(), nil
		}
		if err != nil {
			return nil, err
		}
	}
	for _, v := range s.buffer[s.at] {
		var c cell
		switch k := s.kinds[v.Column()]; {
		case v.IsNull():
			c.number = math.NaN() // as an empty field of CSV
		case k == parquet.Int64:
			c.whole = v.Int64()
			c.number = float64(c.whole)
		case k == parquet.Double:
			c.number = v.Double()
		default:
			c = textCell(string(v.ByteArray()))
		}
		s.cells[v.Column()] = c
	}
	s.at++
	return s.cells, nil
}

func (s *parquetSource) close() error {
	if s.rows != nil {
		return s.rows.Close()
	}
	return nil
}
