package output_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/output"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// shop is a simulation that keeps what happens, with names that are not easy to write.
func shop(t *testing.T) *sim.Simulation {
	t.Helper()
	s := sim.New(sim.Seed(3), sim.Name("a shop"))
	t.Cleanup(s.Close)
	s.Keep(sim.Thinned(60))
	desk := sim.NewResource(s, `desk, "the large one"`, 2)
	s.NewTally("desk / levels").Add(1.0 / 3)
	s.NewTally("nothing")
	sim.NewStore[int](s, "store", sim.Unlimited)
	random := s.Stream("all")
	s.Every(0, 1, func() {
		s.Go("ann & ben", func(p *sim.Process) {
			_ = desk.Use(p, 1, func() error { return p.Wait(2.2 * random.ExpFloat64()) }, sim.Rank(random.IntN(3)),
				sim.Preempting(sim.Interrupt))
		})
	})
	if err := s.Run(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
	return s
}

// experiment has a metric that is missing once.
func experiment(t *testing.T) (*replicate.Results, *output.Runs) {
	t.Helper()
	var runs output.Runs
	r, err := replicate.Run(context.Background(), 8, func(r *replicate.Replication) error {
		s := r.Sim()
		s.Keep(sim.EveryChange(1000))
		n := s.NewTimeWeighted("n", 0)
		random := s.Stream("n")
		s.Every(1, 1, func() { n.Add(float64(random.IntN(3) - 1)) })
		err := s.Run(r.Context(), 50)
		runs.Add(r.Index(), s.AllTimeSeries())
		r.Record("mean", n.Mean())
		if r.Index() == 2 {
			r.Record("late", math.NaN())
		} else {
			r.Record("late", n.Value())
		}
		return err
	}, replicate.Confidence(0.9))
	if err != nil {
		t.Fatal(err)
	}
	return r, &runs
}

// cells reads a table back as text, whatever its format.
func cells(t *testing.T, f output.Format, data []byte) (rows [][]string) {
	t.Helper()
	switch f {
	case output.CSV:
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	case output.JSON:
		var all []json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		for _, one := range all {
			d := json.NewDecoder(bytes.NewReader(one))
			d.UseNumber()
			var names, row []string
			for i := 0; ; i++ {
				token, err := d.Token()
				if err == io.EOF {
					break
				}
				if _, brace := token.(json.Delim); brace {
					i--
					continue
				}
				if i%2 == 0 {
					names = append(names, fmt.Sprint(token))
					continue
				}
				row = append(row, number(token))
			}
			if rows == nil {
				rows = append(rows, names)
			}
			rows = append(rows, row)
		}
		return rows
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range file.Schema().Fields() {
		names = append(names, field.Name())
	}
	rows = append(rows, names)
	for _, group := range file.RowGroups() {
		r := group.Rows()
		defer r.Close()
		buffer := make([]parquet.Row, 10)
		for {
			n, err := r.ReadRows(buffer)
			for _, row := range buffer[:n] {
				var texts []string
				for _, v := range row {
					switch {
					case v.IsNull():
						texts = append(texts, "")
					case v.Kind() == parquet.Double:
						texts = append(texts, strconv.FormatFloat(v.Double(), 'g', -1, 64))
					default:
						texts = append(texts, v.String())
					}
				}
				rows = append(rows, texts)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return rows
}

// number writes numbers of JSON as those of CSV are written.
func number(token json.Token) string {
	switch x := token.(type) {
	case nil:
		return ""
	case json.Number:
		v, _ := x.Float64()
		if strings.ContainsAny(x.String(), ".e") {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return x.String()
	}
	return fmt.Sprint(token)
}

// Each table has the same cells in all formats, with all digits, and is the same again.
func TestFormatsAgree(t *testing.T) {
	s := shop(t)
	r, _ := experiment(t)
	for name, table := range map[string]struct {
		write func(w io.Writer, f output.Format) error
		rows  int
	}{
		"report": {func(w io.Writer, f output.Format) error { return output.WriteReport(w, f, s.Report()) },
			len(s.Report().Rows)},
		"courses": {func(w io.Writer, f output.Format) error { return output.WriteTimeSeries(w, f, s.AllTimeSeries()) },
			-1},
		"observations": {func(w io.Writer, f output.Format) error {
			return output.WriteObservations(w, f,
				s.AllObservations())
		}, -1},
		"holdings": {func(w io.Writer, f output.Format) error { return output.WriteHoldings(w, f, s.AllHoldings()) },
			len(s.AllHoldings())},
		"results": {func(w io.Writer, f output.Format) error { return output.WriteResults(w, f, r) }, 16},
		"summary": {func(w io.Writer, f output.Format) error { return output.WriteSummary(w, f, r) }, 2},
		"empty":   {func(w io.Writer, f output.Format) error { return output.WriteHoldings(w, f, nil) }, 0},
	} {
		var first [][]string
		for _, f := range output.Formats() {
			var b, again bytes.Buffer
			if err := table.write(&b, f); err != nil {
				t.Fatal(name, f, err)
			}
			if err := table.write(&again, f); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
				t.Errorf("%s as %s is another: %v", name, f, err)
			}
			rows := cells(t, f, b.Bytes())
			if f == output.CSV {
				first = rows
			}
			if table.rows == 0 && f == output.JSON {
				rows = first[:1] // without objects there are no names
			}
			if !slices.EqualFunc(rows, first, func(a, b []string) bool { return slices.Equal(a, b) }) {
				t.Errorf("%s as %s differs:\n%v\n%v", name, f, rows[:min(3, len(rows))], first[:min(3, len(first))])
			}
			if table.rows >= 0 && len(rows) != table.rows+1 {
				t.Errorf("%s as %s has %d rows, want %d", name, f, len(rows)-1, table.rows)
			}
		}
	}
	if err := output.WriteReport(io.Discard, "xlsx", s.Report()); err == nil || !strings.Contains(err.Error(),
		"expected csv, json or parquet") {
		t.Error(err)
	}
}

// What is in a table is what was kept.
func TestTables(t *testing.T) {
	s := shop(t)
	var b bytes.Buffer
	if err := output.WriteTimeSeries(&b, output.CSV, s.AllTimeSeries()); err != nil {
		t.Fatal(err)
	}
	rows := cells(t, output.CSV, b.Bytes())
	if fmt.Sprint(rows[0]) != "[statistic from to mean min max]" {
		t.Error(rows[0])
	}
	sum := 0.0
	for _, row := range rows[1:] {
		if row[0] == `desk, "the large one" queue` {
			x := make([]float64, 3)
			for i := range x {
				x[i], _ = strconv.ParseFloat(row[i+1], 64)
			}
			sum += (x[1] - x[0]) * x[2]
		}
	}
	row, _ := s.Report().Row(`desk, "the large one" queue`)
	if math.Abs(sum-100*row.Mean) > 1e-9*sum {
		t.Errorf("the area is %v, want %v", sum, 100*row.Mean)
	}
	r, _ := experiment(t)
	b.Reset()
	if err := output.WriteSummary(&b, output.CSV, r); err != nil {
		t.Fatal(err)
	}
	i := r.Interval("late")
	want := []string{"late", fmt.Sprint(i.Mean), fmt.Sprint(i.Low()), fmt.Sprint(i.High()), "0.9"}
	if got := cells(t, output.CSV, b.Bytes())[2]; !slices.Equal(got[:5], want) || got[8] != "7" || got[9] != "1" {
		t.Errorf("%q, want %q, 7 values and 1 missing", got, want)
	}
	b.Reset()
	if err := output.WriteHoldings(&b, output.CSV, s.AllHoldings()); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{",released\n", ",lost\n", ",held\n"} {
		if !strings.Contains(b.String(), end) {
			t.Errorf("nobody %q", end)
		}
	}
}

// failing is a writer that has no room.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWritersFail(t *testing.T) {
	for _, f := range output.Formats() {
		if err := output.WriteTimeSeries(failing{}, f, shop(t).AllTimeSeries()); err == nil {
			t.Errorf("%s: nothing was written, and nothing is wrong", f)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := shop(t)
	r, runs := experiment(t)
	if output.Save(file, s) == nil || output.SaveResults(file, r, runs) == nil || output.Save(t.TempDir(), s,
		output.Pictures(".bmp")) == nil ||
		output.Save(t.TempDir(), s, output.Tables("xlsx"), output.Pictures()) == nil {
		t.Error("what cannot be written is no error")
	}
}
