package people

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population/internal/diag"
)

// Links are those of a file, in the order of its rows.
type Links struct {
	Pairs   [][2]uint32 // people, numbered from 0
	Weights []float32   // nil if all are 1

	lines []lineOf
}

// LinkColumns are what the columns of a table of links can be.
var LinkColumns = []string{"from", "to", "weight"}

// A LinkSpec says how a file of links is read.
type LinkSpec struct {
	Columns  map[string]string // what the columns are called in the file, by what they are
	Ignored  []string          // columns that are not meant
	IDs      *Texts            // the ids of people; nil if they have numbers, from 1 on
	People   int               // how many there are
	Most     int               // links
	Bytes    int64             // of the file
	Done     func() int64      // bytes that have been read
	Progress func(done, of int64)
	Room     func() uint64 // bytes of memory that are left
	Report   func(p Problem)
}

// linkReader reads a file of links.
type linkReader struct {
	*LinkSpec
	rows     *Rows
	at       [3]int // by LinkColumns: the column, −1 for none
	all      *Links
	weighted bool
	reported int
}

// maxLinksReported is how many rows of a file are reported.
const maxLinksReported = 20

// ReadLinks reads a file of links in one pass, or returns nil if something is wrong with it. A link
// takes 8 bytes, and 4 more if there are weights, which are rounded to 24 bits; while links are
// compared with each other, 8 more.
func ReadLinks(in io.Reader, s *LinkSpec) *Links {
	r := &linkReader{LinkSpec: s, all: &Links{}}
	var err error
	if r.rows, err = NewRows(in); err == nil {
		err = r.rows.Next()
	}
	switch {
	case err == io.EOF:
		r.report(1, 1, "the file is empty; expected a line with the names of the columns, from and to")
		return nil
	case err != nil:
		r.failed(err)
		return nil
	}
	if !r.header() {
		return nil
	}
	for r.reported < maxLinksReported {
		if err = r.rows.Next(); err != nil {
			break
		}
		if !r.link() {
			return nil
		}
	}
	if err != nil && err != io.EOF {
		r.failed(err)
	}
	if r.reported > 0 || !r.distinct() {
		return nil
	}
	if !r.weighted {
		r.all.Weights = nil
	}
	if r.Progress != nil {
		r.Progress(r.Bytes, r.Bytes)
	}
	return r.all
}

func (r *linkReader) report(line, column int, format string, args ...any) {
	r.reported++
	r.Report(Problem{line, column, fmt.Sprintf(format, args...)})
}

// failed reports what Rows returned.
func (r *linkReader) failed(err error) {
	p := &Problem{1, 1, err.Error()}
	errors.As(err, &p)
	r.reported++
	r.Report(*p)
}

// header finds the columns.
func (r *linkReader) header() bool {
	r.at = [3]int{-1, -1, -1}
	var unknown []int
	for i, cell := range r.rows.Cells() {
		name := string(cell)
		what := slices.IndexFunc(LinkColumns, func(what string) bool { return r.called(what) == name })
		switch {
		case what >= 0 && r.at[what] >= 0:
			r.report(r.rows.Line(), r.rows.Column(i), "a second column %s; expected one", diag.Quote(name))
		case what >= 0:
			r.at[what] = i
		case !slices.Contains(r.Ignored, name):
			unknown = append(unknown, i)
		}
	}
	missing := ""
	for what, name := range LinkColumns {
		if called := r.called(name); r.at[what] < 0 && (name != "weight" || called != name) {
			if missing == "" {
				missing = name
			}
			if len(unknown) == 0 {
				r.report(r.rows.Line(), 1, "there is no column %s; expected from, to and, if there are weights, weight",
					diag.Quote(called))
			}
		}
	}
	for _, i := range unknown {
		name := string(r.rows.Cells()[i])
		instead := suggest.Name(name, LinkColumns)
		if instead == "" || r.at[slices.Index(LinkColumns, instead)] >= 0 {
			if instead = missing; instead == "" {
				instead = "weight"
			}
		}
		r.report(r.rows.Line(), r.rows.Column(i), "there is no column %s of links; write columns: {%s: %s}, if it is that, "+
			"or name it in ignore", diag.Quote(name), instead, diag.Shorten(name))
	}
	return r.reported == 0
}

// called is what a column is called in the file.
func (r *linkReader) called(what string) string {
	if name, ok := r.Columns[what]; ok {
		return name
	}
	return what
}

// link reads a row. It reports false if reading cannot go on.
func (r *linkReader) link() bool {
	n := len(r.all.Pairs)
	cells := r.rows.Cells()
	var pair [2]uint32
	for end := range pair {
		person, ok := r.person(cells[r.at[end]])
		if !ok {
			what, range_ := "id", ""
			if r.IDs == nil {
				what, range_ = "number", fmt.Sprintf("; people have numbers from 1 to %d", r.People)
			}
			r.report(r.rows.Line(), r.rows.Column(r.at[end]), "there is nobody with the %s %s%s", what,
				diag.Quote(string(cells[r.at[end]])), range_)
			return true
		}
		pair[end] = uint32(person)
	}
	if pair[0] == pair[1] {
		r.report(r.rows.Line(), r.rows.Column(r.at[1]), "%s is linked to herself", diag.Shorten(string(cells[r.at[0]])))
		return true
	}
	weight, ok := r.weight()
	if !ok {
		return true
	}
	if n > 0 && n%(1<<16) == 0 {
		if n >= r.Most {
			r.report(r.rows.Line(), 1, "more than %s links", format.Thousands(float64(r.Most)))
			return false
		}
		if r.Progress != nil {
			r.Progress(r.Done(), r.Bytes)
		}
		if need := uint64(24 * n); cap(r.all.Pairs) == n && r.Room != nil && need > r.Room() { // it is about to be copied
			r.report(r.rows.Line(), 1, "there is no memory for more than the %s links up to here", format.Thousands(float64(n)))
			return false
		}
	}
	if last := len(r.all.lines) - 1; last < 0 || r.all.lines[last].line+n-r.all.lines[last].person != r.rows.Line() {
		r.all.lines = append(r.all.lines, lineOf{n, r.rows.Line()})
	}
	r.all.Pairs = append(r.all.Pairs, pair)
	if r.at[2] >= 0 {
		r.all.Weights = append(r.all.Weights, weight)
		r.weighted = r.weighted || weight != 1
	}
	return true
}

// person returns the number of a person, from 0 on.
func (r *linkReader) person(cell []byte) (int, bool) {
	if r.IDs != nil {
		return r.IDs.Number(cell)
	}
	n := 0
	for _, c := range cell {
		if c < '0' || c > '9' || n > r.People {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n - 1, len(cell) > 0 && n >= 1 && n <= r.People
}

// weight returns the weight of the row, 1 if the cell is empty or NA, as R writes what is not
// there.
func (r *linkReader) weight() (float32, bool) {
	if r.at[2] < 0 {
		return 1, true
	}
	cell := r.rows.Cells()[r.at[2]]
	if len(cell) == 0 || string(cell) == "NA" {
		return 1, true
	}
	x, err := strconv.ParseFloat(string(cell), 64)
	problem := ""
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(x):
		problem = fmt.Sprintf("found %s, expected a number", diag.Quote(string(cell)))
	case x < 0:
		problem = string(cell) + " is negative"
	case x > 1e30:
		problem = string(cell) + " is too large"
	case x > 0 && x < 1e-30:
		problem = string(cell) + " is too small; write 0"
	default:
		return float32(x), true
	}
	r.report(r.rows.Line(), r.rows.Column(r.at[2]), "weight: %s", problem)
	return 0, false
}

// distinct reports the first link that is there twice.
func (r *linkReader) distinct() bool {
	pairs := r.all.Pairs
	if need := uint64(8*len(pairs) + 12*r.People); r.Room != nil && need > r.Room() {
		r.report(1, 1, "there is no memory to compare %s links with each other", format.Thousands(float64(len(pairs))))
		return false
	}
	// A counting sort by the lower number, and one pass over those of each.
	first := make([]uint32, r.People+1)
	for _, p := range pairs {
		first[min(p[0], p[1])+1]++
	}
	for i := range r.People {
		first[i+1] += first[i]
	}
	order, at := make([]uint32, len(pairs)), slices.Clone(first[:r.People])
	for i, p := range pairs {
		low := min(p[0], p[1])
		order[at[low]] = uint32(i)
		at[low]++
	}
	seen := make([]uint32, r.People) // 1 + the position in order of the last link with an individual
	one, again := 0, len(pairs)
	for low := range r.People {
		for k := first[low]; k < first[low+1]; k++ {
			i := order[k]
			other := max(pairs[i][0], pairs[i][1])
			if before := seen[other]; before > first[low] && int(i) < again {
				one, again = int(order[before-1]), int(i)
			} else if before <= first[low] {
				seen[other] = k + 1
			}
		}
	}
	if again == len(pairs) {
		return true
	}
	r.report(r.all.line(again), 1, "%s and %s are linked in line %d already",
		r.name(pairs[again][0]), r.name(pairs[again][1]), r.all.line(one))
	return false
}

// name is what the file calls a person.
func (r *linkReader) name(person uint32) string {
	if r.IDs != nil {
		return diag.Shorten(string(r.IDs.Text(int(person))))
	}
	return strconv.Itoa(int(person) + 1)
}

// line returns the line of a link.
func (l *Links) line(link int) int {
	k, found := slices.BinarySearchFunc(l.lines, link, func(at lineOf, link int) int { return at.person - link })
	if !found {
		k--
	}
	return l.lines[k].line + link - l.lines[k].person
}
