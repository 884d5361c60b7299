package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// An Option says what [Save] writes.
type Option func(*options)

type options struct {
	formats  []Format
	pictures []string
}

// Tables are the formats of tables. The default is CSV; Tables() writes none.
func Tables(formats ...Format) Option { return func(o *options) { o.formats = formats } }

// Pictures are the file name extensions of pictures: ".svg", ".png", ".pdf". The default is the
// first two; Pictures() writes none.
func Pictures(endings ...string) Option { return func(o *options) { o.pictures = endings } }

// optionsOf returns the values of options, or an error before anything is written.
func optionsOf(opts []Option) (options, error) {
	o := options{[]Format{CSV}, []string{".svg", ".png"}}
	for _, option := range opts {
		option(&o)
	}
	for _, f := range o.formats {
		if !slices.Contains(Formats(), f) {
			return o, noFormat(f)
		}
	}
	for _, ending := range o.pictures {
		if ending != ".svg" && ending != ".png" && ending != ".pdf" {
			return o, fmt.Errorf("output: there are no pictures with the ending %q; expected .svg, .png or .pdf", ending)
		}
	}
	return o, nil
}

// Save writes the statistics of a simulation into a directory, which is created if necessary: the
// tables report, courses (time series), observations and holdings, and the pictures levels (time
// series), utilisation, gantt, and one for each tally that has kept observations. There is no file
// for what was not kept; see [sim.Simulation.Keep]. If resources had more holdings than they may
// keep, the table missed has the number of missing ones for each, and the title of gantt says so.
// Files of the same names are replaced, and others are left alone; a table missed of an earlier
// call is removed if none is missing.
func Save(dir string, s *sim.Simulation, opts ...Option) error {
	o, err := optionsOf(opts)
	if err != nil {
		return err
	}
	courses, observations, holdings := s.AllTimeSeries(), s.AllObservations(), s.AllHoldings()
	title := s.Name()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	errs := []error{o.table(dir, "report", func(w io.Writer, f Format) error { return WriteReport(w, f, s.Report()) })}
	if len(courses) > 0 {
		errs = append(errs, o.table(dir, "courses", func(w io.Writer, f Format) error {
			return WriteTimeSeries(w, f, courses)
		}),
			o.picture(dir, "levels", TimeSeries(title, courses)))
		if slices.ContainsFunc(courses, func(c history.Series) bool { return strings.HasSuffix(c.Name, " capacity") }) {
			errs = append(errs, o.picture(dir, "utilisation", Utilization(title, courses)))
		}
	}
	if len(observations) > 0 {
		errs = append(errs, o.table(dir, "observations", func(w io.Writer, f Format) error {
			return WriteObservations(w, f, observations)
		}))
	}
	taken := map[string]bool{"levels": true, "utilisation": true, "gantt": true}
	for _, x := range observations {
		if len(x.Entries) > 0 {
			errs = append(errs, o.picture(dir, fileName(x.Name, taken), Histogram(title, x)))
		}
	}
	if len(holdings) > 0 {
		errs = append(errs, o.table(dir, "holdings", func(w io.Writer, f Format) error {
			return WriteHoldings(w, f, holdings)
		}),
			o.picture(dir, "gantt", Gantt(title+missing(s), holdings)))
	}
	errs = append(errs, o.missed(dir, s))
	return errors.Join(errs...)
}

// missing says for a title how many holdings are not there.
func missing(s *sim.Simulation) string {
	n := int64(0)
	for _, k := range s.MissedHoldings() {
		n += k
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d later ones were not kept)", n)
}

// missed writes how many holdings are not there, if any.
func (o options) missed(dir string, s *sim.Simulation) error {
	if missing(s) != "" {
		return o.table(dir, "missed", func(w io.Writer, f Format) error { return writeMissed(w, f, s.MissedHoldings()) })
	}
	for _, f := range o.formats {
		if err := os.Remove(filepath.Join(dir, "missed."+string(f))); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// SaveResults writes the results of an experiment into a directory, as [Save] does: the tables
// summary and results, and, if runs has gathered time series, the picture bands, with the level of
// confidence of the results.
func SaveResults(dir string, r *replicate.Results, runs *Runs, opts ...Option) error {
	o, err := optionsOf(opts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	errs := []error{o.table(dir, "summary", func(w io.Writer, f Format) error { return WriteSummary(w, f, r) }),
		o.table(dir, "results", func(w io.Writer, f Format) error { return WriteResults(w, f, r) })}
	if runs != nil {
		if all := runs.TimeSeries(r.N()); len(all) > 0 {
			level := 0.95
			if m := r.Metrics(); len(m) > 0 {
				level = r.Interval(m[0]).Level
			}
			errs = append(errs, o.picture(dir, "bands", Bands("", all, level)))
		}
	}
	return errors.Join(errs...)
}

func (o options) table(dir, name string, write func(io.Writer, Format) error) (err error) {
	for _, f := range o.formats {
		var b bytes.Buffer
		if e := write(&b, f); e != nil {
			return e
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name+"."+string(f)), b.Bytes(), 0o666))
	}
	return err
}

func (o options) picture(dir, name string, p Picture) (err error) {
	for _, ending := range o.pictures {
		err = errors.Join(err, p.Save(filepath.Join(dir, name+ending)))
	}
	return err
}

var unusual = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\p{L}\p{N}]+`) })

// fileName makes a name for a file of any name, other than those that are taken.
func fileName(name string, taken map[string]bool) string {
	base := strings.ToLower(strings.Trim(unusual().ReplaceAllString(name, "-"), "-"))
	if base == "" {
		base = "tally"
	}
	if len(base) > 80 {
		base = strings.ToValidUTF8(base[:80], "")
	}
	file := base
	for i := 2; taken[file]; i++ {
		file = fmt.Sprint(base, "-", i)
	}
	taken[file] = true
	return file
}
