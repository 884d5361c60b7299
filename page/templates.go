package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/population"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// parseTemplates returns the template of each page: layout.html, parts.html and a file that defines
// "main".
func parseTemplates() (map[string]*template.Template, error) {
	pages := map[string]*template.Template{}
	common, err := template.New("layout.html").Funcs(templateFuncs).ParseFS(templateFiles, "templates/layout.html",
		"templates/parts.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		short := strings.TrimSuffix(path.Base(name), ".html")
		if short == "layout" || short == "parts" {
			continue
		}
		t, err := common.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, name)
		}
		if err != nil {
			return nil, err
		}
		pages[short] = t
	}
	return pages, nil
}

var templateFuncs = template.FuncMap{
	"thousands": func(n uint64) string { return format.Thousands(float64(n)) },
	"count":     format.Count,
	"short":     figure.Short,
	"ago":       ago,
	"lasting":   runs.Duration,
	"pace":      pace,
	"percent":   func(x float64) string { return fmt.Sprintf("%.0f", 100*x) },
}

func ago(t time.Time) string { return runs.Duration(time.Since(t).Seconds()) + " ago" }

// pace describes the speed and the remaining or total time, as the script does.
func pace(s runs.Status) string {
	var parts []string
	if s.Events > 0 {
		parts = append(parts, fmt.Sprintf("%s events, %s million a second", format.Thousands(float64(s.Events)),
			threeDigits(s.Rate/1e6)))
	}
	switch {
	case s.State.Over() && s.Seconds > 0:
		parts = append(parts, runs.Duration(s.Seconds))
	case s.Left >= 0:
		parts = append(parts, runs.Duration(s.Left)+" left")
	}
	return strings.Join(parts, ", ")
}

func threeDigits(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// pageData is the data of layout.html.
type pageData struct {
	Section, Path, Title, Theme, About, Version string
	Sections                                    []section
	Data                                        any
}

// themes are the colour schemes; auto follows the system.
var themes = []string{"auto", "light", "dark"}

// render responds with a page of a section. Its data has a Title.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name, section string, data map[string]any) {
	d := pageData{Section: section, Path: r.URL.RequestURI(), Theme: "auto", About: s.config.About,
		Version: population.Version(), Sections: sections, Data: data}
	d.Title, _ = data["Title"].(string)
	if c, err := r.Cookie(themeCookie); err == nil && slices.Contains(themes, c.Value) {
		d.Theme = c.Value
	}
	if name != "error" { // small, and also for requests that got no slot
		if err := s.reserve(r.Context()); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	var b bytes.Buffer
	if err := s.templates[name].Execute(&b, d); err != nil {
		s.log.Error("a page cannot be made", "page", name, "error", err)
		http.Error(w, "this page cannot be made; the server's log has more", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

const themeCookie = "almanac_theme"

// setTheme stores the colour scheme in a cookie and redirects back.
func (s *Server) setTheme(w http.ResponseWriter, r *http.Request) error {
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Value: r.PostFormValue("theme"), Path: "/",
		SameSite: http.SameSiteLaxMode, HttpOnly: true, MaxAge: 365 * 24 * 3600})
	http.Redirect(w, r, localPath(r.PostFormValue("path")), http.StatusSeeOther)
	return nil
}

// localPath turns any text into a path of this server, never of another host.
func localPath(to string) string { return "/" + strings.TrimLeft(to, "/\\\t\r\n ") }

// static serves a file of the page, which browsers revalidate.
func (s *Server) static(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	data, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		return httperr.NotFound("there is no %q", name)
	}
	sum := sha256.Sum256(data)
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".js" {
		kind = "text/javascript; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	return nil
}
