package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// pictureFlags say which pictures of a run are drawn, and what they show.
type pictureFlags struct {
	files               []string
	show                []string
	panels, title, data string
	per                 string
	log                 bool
	view                pictures.View
}

// about are the flags that say what a picture shows.
var about = []string{"show", "panels", "log", "per", "title", "data"}

func (f *pictureFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.files, "picture", nil, "`file` for a picture of the run: .svg, .pdf or .png; "+
		"may be repeated")
	c.Flags().StringArrayVar(&f.show, "show", nil, "`names` of what the picture shows, separated by commas: states, "+
		"states of machines as hiv=early,\nflows as a->b, names of what happens, observations, values, total; a machine "+
		"(all its states),\nstates (all), flows (all)")
	c.Flags().StringVar(&f.panels, "panels", "", "`attribute` by which the picture has a panel for each group: region, "+
		"or region,age;\nthe model must record by it")
	c.Flags().BoolVar(&f.log, "log", false, "logarithmic axis in the picture")
	c.Flags().StringVar(&f.per, "per", "", "counts in the picture per this `number` of the living, such as 100_000")
	c.Flags().StringVar(&f.title, "title", "", "title of the picture (default: the name of the model)")
	c.Flags().StringVar(&f.data, "data", "", "CSV `file` with points to draw over the lines of the picture, or fit "+
		"for the table\nof the model's section fit")
}

// prepare checks the flags and reads the data, before the run.
func (f *pictureFlags) prepare(c *cobra.Command, s *study.Study) error {
	if len(f.files) == 0 {
		for _, name := range about {
			if c.Flags().Changed(name) {
				return cli.Usagef("--%s is about a picture: name its file with --picture, as in --picture run.svg", name)
			}
		}
		return nil
	}
	for _, file := range f.files {
		if err := checkPicture(file); err != nil {
			return cli.Usage(err)
		}
	}
	if err := f.checkLetters(c, s.Plain); err != nil {
		return err
	}
	f.view = pictures.View{Panels: f.panels, Log: f.log, Title: f.title}
	for _, name := range []string{"show", "panels", "per", "data"} {
		if flag := c.Flags().Lookup(name); flag.Changed && slices.Contains([]string{"", "[]"}, flag.Value.String()) {
			return cli.Usagef("--%s is empty; leave it out, or name something", name)
		}
	}
	for _, text := range f.show {
		f.view.Show = append(f.view.Show, words(text, s.Plain)...)
	}
	if f.per != "" {
		f.view.Per = allocation.ParseNumber(f.per)
		if !(f.view.Per > 0) || math.IsInf(f.view.Per, 0) {
			return cli.Usagef("--per: %q is no number of individuals; expected one such as 100_000", f.per)
		}
	}
	var err error
	if f.data != "" {
		f.view.Data, err = f.read(c, s)
	}
	if err == nil {
		err = f.view.Check(s.Plain)
	}
	var mistake *pictures.Mistake
	if errors.As(err, &mistake) {
		err = fmt.Errorf("--%s: %w", mistake.Part, err)
	}
	if err != nil {
		return cli.Usage(err)
	}
	if not := f.view.Undrawn(s.Plain); len(not) > 0 {
		tell(c, fmt.Sprintf("--data: %s: not drawn: %s", f.view.Data.Name, strings.Join(not, "; ")))
	}
	return nil
}

// checkLetters refuses a title that cannot be drawn, and tells of names that cannot.
func (f *pictureFlags) checkLetters(c *cobra.Command, m *population.Model) error {
	drawn := slices.ContainsFunc(f.files, func(file string) bool { return filepath.Ext(file) != ".svg" })
	if !drawn {
		return nil
	}
	if missing := plot.Missing(f.title); missing != "" {
		return cli.Usagef("--title: the font of the pictures has no %s; write a .svg file, in which the title is a text, or "+
			"another title", missing)
	}
	names := slices.Concat(m.Counted(), m.Names(), m.Attributes(), m.Observations(), m.Values())
	for _, g := range m.Groups() {
		names = append(names, g.Values...)
	}
	if f.title == "" {
		names = append(names, m.Name())
	}
	if missing := plot.Missing(strings.Join(names, "")); missing != "" {
		tell(c, fmt.Sprintf("--picture: the font of the pictures has no %s, and .pdf and .png have a box for each; in "+
			"a .svg file they are a text", missing))
	}
	return nil
}

// words splits a list at commas, unless it is the name of one thing.
func words(text string, m *population.Model) (all []string) {
	if (pictures.View{Show: []string{text}}).Check(m) == nil {
		return []string{text}
	}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}

// checkPicture checks the name of a file, so that a long run is not in vain.
func checkPicture(file string) error {
	switch filepath.Ext(file) {
	case ".svg", ".pdf", ".png":
	default:
		return fmt.Errorf("--picture %s: expected a file that ends in .svg, .pdf or .png", file)
	}
	if at, err := os.Stat(filepath.Dir(file)); err != nil || !at.IsDir() {
		return fmt.Errorf("--picture %s: there is no directory %s", file, filepath.Dir(file))
	}
	if at, err := os.Stat(file); err == nil && at.IsDir() {
		return fmt.Errorf("--picture %s: this is a directory", file)
	}
	return nil
}

// read reads the data. Columns that the section fit of the model names are what it says they are.
func (f *pictureFlags) read(c *cobra.Command, s *study.Study) (*pictures.Data, error) {
	fit, err := s.Plain.Fit(population.FitOptions{})
	read, name := population.Dir("."), f.data
	if f.data == "fit" {
		if err != nil {
			return nil, fmt.Errorf("--data fit: %w", err)
		}
		if fit.Data == "" {
			return nil, errors.New("--data fit: the section fit of the model names no data; name a file with --data")
		}
		read, name = s.Read, fit.Data
	}
	table, err2 := read(name)
	if err2 != nil {
		var where *os.PathError
		if errors.As(err2, &where) {
			err2 = where.Err
		}
		return nil, fmt.Errorf("--data: %s: %w", name, err2)
	}
	var matches []pictures.Match
	if err == nil {
		if matches, err = f.matches(fit, s); err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
	}
	data, err := pictures.ReadData(name, table, s.Plain, matches)
	if err == nil && len(data.Unused) > 0 {
		tell(c, fmt.Sprintf("--data: %s: not drawn, since the model has nothing of that name: %s", name,
			strings.Join(data.Unused, ", ")))
	}
	return data, err
}

// matches says what the columns of a fit are, and which share of it is observed in each replica.
func (f *pictureFlags) matches(fit *population.Fit, s *study.Study) (all []pictures.Match, err error) {
	how := modelfit.Of(fit)
	plain, err := how.Observed(s.Plain)
	if err != nil {
		return nil, err
	}
	vary := func(int) (*population.Model, error) { return s.Plain, nil }
	if s.Posterior != nil {
		vary = s.Posterior.Vary(s.Plain, s.Seed)
	}
	shares := map[int][]modelfit.Observation{} // by replica
	for i, m := range how.Matches() {
		match := pictures.Match{Match: m}
		if m.Kind != "survey" && (s.Posterior != nil || plain[i].Observed != 1) {
			match.Observed = func(replica int) float64 {
				if shares[replica] == nil {
					shares[replica] = plain
					if m, err := vary(replica); err == nil { // the run has used it
						if own, err := how.Observed(m); err == nil {
							shares[replica] = own
						}
					}
				}
				return shares[replica][i].Observed
			}
		}
		all = append(all, match)
	}
	return all, nil
}

// save writes the pictures.
func (f *pictureFlags) save(c *cobra.Command, r *population.Result) error {
	switch {
	case len(f.files) == 0:
		return nil
	case r.Rows() == 0:
		tell(c, "there is no picture, since nothing was recorded")
		return nil
	}
	picture, err := f.view.Draw(r)
	if err != nil {
		return fmt.Errorf("--picture: %w", err)
	}
	for _, file := range f.files {
		if err := outdir.Replace(file, picture.Save); err != nil {
			return cannotWrite("--picture", file, err)
		}
	}
	return nil
}
