package output

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A Format is how a table is written.
type Format string

// The formats, which are also the endings of the files' names.
const (
	CSV     Format = "csv"     // a line for each row, and one with the names of the columns before them
	JSON    Format = "json"    // a list of objects, one to a line
	Parquet Format = "parquet" // with types, and small
)

// Formats returns all formats.
func Formats() []Format { return []Format{CSV, JSON, Parquet} }

// write writes rows, whose fields are columns: their names are in the tags for JSON and for
// Parquet, which agree. Fields are texts, booleans, numbers, or pointers to numbers, nil where
// there is none.
func write[T any](w io.Writer, f Format, rows []T) error {
	switch f {
	case CSV:
		return writeCSV(w, rows)
	case JSON:
		return writeJSON(w, rows)
	case Parquet:
		return writeParquet(w, rows)
	}
	return noFormat(f)
}

func noFormat(f Format) error {
	return fmt.Errorf("output: there is no format %q; expected csv, json or parquet", f)
}

func writeCSV[T any](w io.Writer, rows []T) error {
	out := csv.NewWriter(w)
	t := reflect.TypeFor[T]()
	cells := make([]string, t.NumField())
	for i := range cells {
		cells[i] = t.Field(i).Tag.Get("json")
	}
	err := out.Write(cells)
	for _, row := range rows {
		v := reflect.ValueOf(row)
		for i := range cells {
			cells[i] = cell(v.Field(i))
		}
		if err = out.Write(cells); err != nil {
			break
		}
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

// cell is a value as text, numbers with as many digits as they need.
func cell(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return v.String()
}

func writeJSON[T any](w io.Writer, rows []T) error {
	out := bufio.NewWriter(w)
	before := "[\n"
	for _, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("output: %w", err)
		}
		_, _ = out.WriteString(before) // Flush tells
		_, _ = out.Write(line)
		before = ",\n"
	}
	if before == "[\n" {
		_, _ = out.WriteString("[")
	}
	_, _ = out.WriteString("\n]\n")
	return out.Flush()
}

// groupRows is how many rows are held in memory before they are written.
const groupRows = 1 << 16

func writeParquet[T any](w io.Writer, rows []T) error {
	out := parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(groupRows),
		parquet.CreatedBy("almanac", "", ""))
	_, err := out.Write(rows)
	return errors.Join(err, out.Close())
}

// known is a number, or nil if it is none.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
