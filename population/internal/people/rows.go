package people

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/almanac-sim/almanac/internal/format"
)

// The limits of a file. They keep a file that is no table from filling the memory.
const (
	MaxRowBytes = 1 << 20 // bytes of a row
	MaxColumns  = 10_000
)

// A Problem is what is wrong with a file, and where. The line is 0 if it is about the whole file.
type Problem struct {
	Line, Column int
	Message      string
}

// Error returns the place and the message.
func (p *Problem) Error() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message) }

// Rows reads the rows of a table in one pass: CSV as programs write it, compressed with gzip or
// not, with or without a byte-order mark, with any line ends, with quoted cells. If the first row
// has no comma, semicolons or tabs separate cells. Lines that begin with # before the first row are
// comments, and empty lines are skipped. Every row has as many cells as the first one.
//
// A row takes time proportional to its length. All rows share one buffer, of at most 2 MB.
//
// Rows must not be used from several goroutines at once.
type Rows struct {
	in      *bufio.Reader
	end     byte // of a line
	comma   byte // between two cells
	line    int  // the row's first line
	next    int  // the line after the row
	width   int  // cells of a row; 0 before the first
	row     []byte
	text    []byte // of quoted cells
	cells   [][]byte
	columns []int
}

// NewRows returns a reader of the rows of a file.
func NewRows(in io.Reader) (*Rows, error) {
	r := &Rows{in: bufio.NewReaderSize(in, 1<<16), end: '\n', comma: ',', next: 1}
	if head, _ := r.in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		unzip, err := gzip.NewReader(r.in)
		if err != nil {
			return nil, &Problem{1, 1, "it cannot be decompressed: " + err.Error()}
		}
		r.in = bufio.NewReaderSize(unzip, 1<<16)
	}
	head, _ := r.in.Peek(1 << 16)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = r.in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, &Problem{1, 1, "this is UTF-16; expected a text in UTF-8"}
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		r.end = '\r' // the line ends of old Macintoshes
	}
	return r, nil
}

// Next reads the next row. It returns io.EOF after the last, and a *Problem if there is none.
func (r *Rows) Next() error {
	for {
		r.line, r.row = r.next, r.row[:0]
		if err := r.more(); err != nil {
			return err
		}
		switch {
		case len(bytes.TrimSpace(r.row)) == 0:
		case r.width == 0 && r.row[0] == '#':
		default:
			return r.split()
		}
	}
}

// more appends the next line to the row, without its end.
func (r *Rows) more() error {
	before := len(r.row)
	for {
		part, err := r.in.ReadSlice(r.end)
		if len(r.row)+len(part) > MaxRowBytes {
			return r.problem(1, "a row of more than %d kB; this is not a table", MaxRowBytes>>10)
		}
		r.row = append(r.row, part...)
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(r.row) == before:
			return io.EOF
		case err != nil && err != io.EOF:
			return r.problem(1, "it cannot be read any further: %v", err)
		}
		break
	}
	if at := bytes.IndexByte(r.row[before:], 0); at >= 0 {
		return r.problem(at+1, "a zero byte; this is not a text")
	}
	r.next++
	if n := len(r.row); n > before && r.row[n-1] == r.end {
		r.row = r.row[:n-1]
	}
	if n := len(r.row); n > before && r.row[n-1] == '\r' {
		r.row = r.row[:n-1]
	}
	return nil
}

// problem is a problem of the row.
func (r *Rows) problem(column int, format string, args ...any) error {
	return &Problem{r.line, column, fmt.Sprintf(format, args...)}
}

// split divides the row into cells.
func (r *Rows) split() error {
	r.cells, r.columns, r.text = r.cells[:0], r.columns[:0], r.text[:0]
	if r.width == 0 && bytes.IndexByte(r.row, ',') < 0 {
		for _, c := range []byte(";\t") {
			if r.comma == ',' && bytes.IndexByte(r.row, c) >= 0 {
				r.comma = c
			}
		}
	}
	if bytes.IndexByte(r.row, '"') >= 0 {
		if err := r.splitQuoted(); err != nil {
			return err
		}
	} else {
		from := 0
		for len(r.cells) <= MaxColumns {
			n := bytes.IndexByte(r.row[from:], r.comma)
			if n < 0 {
				r.add(from, r.row[from:])
				break
			}
			r.add(from, r.row[from:from+n])
			from += n + 1
		}
	}
	switch n := len(r.cells); {
	case n > MaxColumns:
		return r.problem(1, "more than %d columns; this is not a table of people or links", MaxColumns)
	case r.width == 0:
		r.width = n
	case n != r.width:
		return r.problem(1, "%s here, and %d names of columns; expected the same", format.Plural(n, "value"), r.width)
	}
	return nil
}

// add adds a cell that begins at a byte of the row.
func (r *Rows) add(from int, cell []byte) {
	for len(cell) > 0 && cell[0] == ' ' {
		from, cell = from+1, cell[1:]
	}
	for n := len(cell); n > 0 && cell[n-1] == ' '; n-- {
		cell = cell[:n-1]
	}
	r.cells, r.columns = append(r.cells, cell), append(r.columns, from+1)
}

// splitQuoted does so for a row with quotes. A cell that begins with a quote ends with one, and may
// have commas, line ends and, doubled, quotes.
func (r *Rows) splitQuoted() error {
	for from := 0; len(r.cells) <= MaxColumns; {
		start := from
		for start < len(r.row) && r.row[start] == ' ' {
			start++
		}
		if start == len(r.row) || r.row[start] != '"' {
			n := bytes.IndexByte(r.row[from:], r.comma)
			if n < 0 {
				r.add(from, r.row[from:])
				return nil
			}
			r.add(from, r.row[from:from+n])
			from += n + 1
			continue
		}
		first := len(r.text)
		at := start + 1
		for {
			n := bytes.IndexByte(r.row[at:], '"')
			if n < 0 {
				r.row = append(r.row, '\n')
				switch err := r.more(); {
				case err == io.EOF:
					return r.problem(start+1, "a quote that does not end")
				case err != nil:
					return err
				}
				continue
			}
			r.text = append(r.text, r.row[at:at+n]...)
			if at += n + 1; at == len(r.row) || r.row[at] != '"' {
				break
			}
			r.text = append(r.text, '"')
			at++
		}
		r.add(start, r.text[first:len(r.text):len(r.text)])
		r.columns[len(r.columns)-1] = start + 1
		for at < len(r.row) && r.row[at] == ' ' {
			at++
		}
		switch {
		case at == len(r.row):
			return nil
		case r.row[at] != r.comma:
			return r.problem(at+1, "text after a quote; expected a comma")
		}
		from = at + 1
	}
	return nil
}

// Cells returns the cells of the row, without spaces around them. They are valid until the next
// call of Next.
func (r *Rows) Cells() [][]byte { return r.cells }

// Line returns the line that the row begins in, from 1.
func (r *Rows) Line() int { return r.line }

// Column returns the byte of its line that a cell begins at, from 1.
func (r *Rows) Column(cell int) int { return r.columns[cell] }
