package reproduce

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Report is the results of a run, with where they come from.
type Report struct {
	Provenance
	Results []Result `json:"results"`
}

//go:embed report.html
var page embed.FS

// Write writes the report into a directory: report.html, which is complete; report.md, the table at
// its beginning; claims.json, everything except the pictures, for programs; and each table as CSV
// and each picture as SVG.
func (r *Report) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for i := range r.Results {
		errs = append(errs, r.Results[i].writeTables(dir), r.Results[i].writeCharts(dir))
	}
	return errors.Join(append(errs, writeFile(dir, "report.html", r.HTML), writeFile(dir, "report.md", r.Markdown),
		writeFile(dir, "claims.json", r.JSON))...)
}

// JSON writes the report as almanac reproduce --json prints it.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// HTML writes the report as one self-contained page.
func (r *Report) HTML(w io.Writer) error {
	t, err := template.New("report.html").Funcs(template.FuncMap{"pictures": pictures, "number": number, "class": class,
		"stays": func(c Check) string { return c.Stays() },
		"mark":  func(r Result) string { return r.mark() }}).ParseFS(page, "report.html")
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}

// pictures are the charts of a result, drawn. They are made here, and so can stand in the page as
// they are.
func pictures(r Result) ([]template.HTML, error) {
	var all []template.HTML
	for _, c := range r.Finding.Charts {
		svg, err := c.SVG()
		if err != nil {
			return nil, err
		}
		text := string(svg)
		if i := strings.Index(text, "<svg"); i >= 0 {
			text = text[i:] // without the declaration, which a page has no place for
		}
		all = append(all, template.HTML(text))
	}
	return all, nil
}

// number writes a number with as many digits as say something.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// class is the style of a verdict.
func class(v Verdict) string {
	return map[Verdict]string{Holds: "holds", HoldsCorrected: "corrected", DoesNotHold: "fails", Ambiguous: "ambiguous",
		Undecided: "undecided", Answered: "answered", OwnResult: "own"}[v]
}

// Markdown writes the table at the beginning of the page: paper, claim, what it says, what was
// measured, and the verdict. What depends on the machine is in italics.
func (r *Report) Markdown(w io.Writer) error {
	cell := strings.NewReplacer("|", "\\|", "\n", " ")
	if _, err := io.WriteString(w, "| paper | claim | it says | measured | verdict | evidence |\n"+
		"|---|---|---|---|---|---|\n"); err !=
		nil {
		return err
	}
	for i := range r.Results {
		c := &r.Results[i]
		measured := c.Measured
		if c.Timed != "" {
			measured = strings.TrimSpace(measured + " _" + c.Timed + "_")
		}
		if _, err := fmt.Fprintf(w, "| %s, %s | `%s` | %s | %s | **%s**%s | %s |\n", cell.Replace(c.Paper),
			cell.Replace(c.Place),
			c.Name,
			cell.Replace(c.Says), cell.Replace(measured), c.Verdict, c.mark(), c.Grade); err != nil {
			return err
		}
	}
	return nil
}

// mark is what is said beside a verdict that is not the one found before.
func (r *Result) mark() string {
	if r.AsBefore() {
		return ""
	}
	return fmt.Sprintf("; found before: %s", r.Found)
}

func writeFile(dir, name string, write func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

func (r *Result) writeTables(dir string) error {
	var errs []error
	for _, t := range r.Tables {
		errs = append(errs, writeFile(dir, fileName(r.Name, t.Name)+".csv", func(w io.Writer) error {
			out := csv.NewWriter(w)
			_ = out.Write(t.Columns) // Error tells at the end
			for _, row := range t.Rows {
				words := make([]string, len(row))
				for i, x := range row {
					words[i] = strconv.FormatFloat(x, 'g', -1, 64)
				}
				_ = out.Write(words)
			}
			out.Flush()
			return out.Error()
		}))
	}
	return errors.Join(errs...)
}

func (r *Result) writeCharts(dir string) error {
	var errs []error
	for i, c := range r.Finding.Charts {
		errs = append(errs, c.Save(filepath.Join(dir, fileName(r.Name, r.Finding.ChartName[i])+".svg")))
	}
	return errors.Join(errs...)
}

// fileName joins names into one for a file.
func fileName(claim, part string) string {
	clean := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}
	part = strings.Join(strings.FieldsFunc(strings.Map(clean, strings.ToLower(part)), func(r rune) bool {
		return r == '-'
	}), "-")
	if part == "" || part == claim {
		return claim
	}
	return fmt.Sprintf("%s-%s", claim, part)
}
