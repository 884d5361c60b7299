// Package page serves what almanac serve shows in a browser: models, their runs while they go on,
// studies and results.
//
// A [Server] is net/http with templates and small scripts. Nothing is fetched from other sites, and
// everything that can work without a script does.
//
//	root, err := os.OpenRoot(".")
//	s, err := page.New(page.Config{Files: root.FS(), Root: root, About: "models", Dir: "."})
//	l, err := net.Listen("tcp", "127.0.0.1:8000")
//	err = s.Serve(ctx, l) // until the context ends
//
// What does not depend on the server is in packages below internal: runs (queue, progress, events),
// figure (charts in pages), compare, folder (files), cache, hub, httperr.
//
// A part of the page has a file with its handlers and a template. It shows charts as figure.Figure,
// and runs what takes long as runs.Work.
//
// # Files
//
//	server.go     the server and its error pages
//	routes.go     addresses and their handlers
//	guard.go      checks of every request: Host, Origin, token, size; headers of every response
//	responses.go  limits of concurrent and slow responses
//	render.go     limits of rendering charts while runs go on
//	templates.go  templates, static files, theme
//	listing.go    models and results below the directory
//	saved.go      results in directories: how each kind is read and shown
//	downloads.go  files and figures as downloads
//	models.go     list of models, editor, check, diagram
//	modelrun.go   form of a run of a model, and the run
//	runs.go       list of runs, page of a run, its events
//	results.go    charts of saved runs
//	tables.go     tables of runs, and their files
//	recorded.go   charts and tables of what only some models record: observations, places, trees, …
//	samples.go    drawings of a sample of a network, and of a tree of infections
//	compare.go    comparisons of scenarios and of runs
//	studies.go    list of studies, the hub
//	sweep.go      sweeps: form, run, charts
//	points.go     single points of a sweep
//	fits.go       fits and projections from them
//	papers.go     claims of the papers, and their checks
//	capped.go     balls into bins
//	queues.go     queues, and time series of package sim
package page

import (
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/page/internal/folder"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// A Config says what a [Server] shows, and to whom.
type Config struct {
	// Files has the models and results. If Root is not nil, it is the same directory, and files can
	// be written.
	Files fs.FS
	Root  *os.Root
	About string // a name of Files for people
	Dir   string // the directory in command lines

	// Hub is the hub whose studies are shown; nil for none.
	Hub *ensemble.ConnectOptions

	// Token, if not empty, must be sent by visitors.
	Token string
	// Anywhere says that the server listens on more than loopback. Names are the host names that it
	// accepts besides addresses; they need a token.
	Anywhere bool
	Names    []string

	Logger *slog.Logger // nil for none
	Limits Limits
}

// Limits bound what visitors can request. Zero values are replaced by those of [DefaultLimits].
type Limits struct {
	Running      int           // runs at once
	RunTimeout   time.Duration // duration of a run, which is then stopped
	Waiting      int           // runs that wait
	Kept         int           // finished runs
	Bytes        uint64        // of the results of finished runs
	Viewers      int           // connections that watch runs
	Body         int64         // bytes of a request
	Replicas     int           // of a run
	ReadTimeout  time.Duration // to receive a request
	WriteTimeout time.Duration // without progress of a response
	Responses    int           // in memory at once
	WaitTimeout  time.Duration // for a response to begin
}

// DefaultLimits returns limits for a machine that is used by one person or a class.
func DefaultLimits() Limits {
	return Limits{Running: 2, RunTimeout: 4 * time.Hour, Waiting: 20, Kept: 50, Bytes: 1 << 29, Viewers: 200,
		Body:     4 * folder.MaxModel, // encoding a form may triple its size
		Replicas: 10_000, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, Responses: 16, WaitTimeout: 10 *
			time.Second}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Running: either(l.Running, d.Running), RunTimeout: either(l.RunTimeout, d.RunTimeout),
		Waiting: either(l.Waiting, d.Waiting), Kept: either(l.Kept, d.Kept), Bytes: either(l.Bytes, d.Bytes),
		Viewers: either(l.Viewers, d.Viewers), Body: either(l.Body, d.Body), Replicas: either(l.Replicas, d.Replicas),
		ReadTimeout: either(l.ReadTimeout, d.ReadTimeout), WriteTimeout: either(l.WriteTimeout, d.WriteTimeout),
		Responses: either(l.Responses, d.Responses), WaitTimeout: either(l.WaitTimeout, d.WaitTimeout),
	}
}

func (l Limits) runs() runs.Limits {
	return runs.Limits{Running: l.Running, Timeout: l.RunTimeout, Waiting: l.Waiting, Kept: l.Kept, Bytes: l.Bytes}
}

func either[T int | int64 | uint64 | time.Duration](limit, usual T) T {
	if limit > 0 {
		return limit
	}
	return usual
}
