// Package page is what almanac serve shows in a browser: models, their runs as they go on, and
// results.
//
// A [Server] is net/http with templates and a small script of our own; nothing is fetched from
// elsewhere, and what can work without the script does. It is made of a few plain things, a file
// each:
//
//	guard.go    who may ask: Host, Origin, token, sizes; the headers of every answer
//	folder.go   the files that are shown, and nothing outside of their directory
//	runs.go     a queue of work that belongs to the server and not to a connection
//	live.go     what there is to see of work that goes on, for any number of viewers at the price of one
//	audience.go what is told to whom who watch the same of it
//	answers.go  how many answers there may be at once, and how slowly they may be taken
//	drawings.go who draws of work that goes on, and when
//	figure.go   a chart, the table beside it, and what can be taken away of both
//	take.go     what else can be taken away: files of runs, directories and models
//	saved.go    results in directories: what is read of each kind, and how it is shown
//	rooms.go    what there is to visit, and where
//
// A room is a file with its handlers, and a template. It shows charts by making a [plot.Chart] of
// them, and does what takes long as [Work].
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
	// Files are the models and results that are shown. If Root is not nil, it is the same
	// directory, and files can be written.
	Files fs.FS
	Root  *os.Root
	About string // what Files are, in words: a directory, or the examples
	Dir   string // what a command line calls that directory

	// Hub is where the hub is whose studies are watched; nil for none. No visitor can name another.
	Hub *ensemble.ConnectOptions

	// Token, if it is not empty, is what a visitor must know.
	Token string
	// Anywhere reports that the server listens on more than loopback. Names are those that it is
	// called by, beside addresses; they count only with a token.
	Anywhere bool
	Names    []string

	Logger *slog.Logger // nil for none
	Limits Limits
}

// Limits are how much visitors can ask for. What is zero is as [DefaultLimits] has it.
type Limits struct {
	Running  int           // work that is done at once
	Longest  time.Duration // that work may take; it is then stopped
	Waiting  int           // work that waits for its turn
	Kept     int           // finished work that can be looked at
	Bytes    uint64        // that the results of finished work take
	Viewers  int           // connections that watch
	Body     int64         // bytes of a request
	Replicas int           // of a run
	Request  time.Duration // that a visitor may take to send a request
	Answer   time.Duration // that a visitor may take none of an answer
	Answers  int           // that take memory, until visitors have taken them
	Turn     time.Duration // that a visitor waits at most for such an answer to begin
}

// DefaultLimits returns limits for a machine that one person or a class works on.
func DefaultLimits() Limits {
	return Limits{Running: 2, Longest: 4 * time.Hour, Waiting: 20, Kept: 50, Bytes: 1 << 29, Viewers: 200,
		Body:     4 * folder.MaxModel, // letters of a form may take three bytes
		Replicas: 10_000, Request: 30 * time.Second, Answer: 30 * time.Second, Answers: 16, Turn: 10 * time.Second}
}

// orDefault fills in what is not said.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Running: either(l.Running, d.Running), Longest: either(l.Longest, d.Longest),
		Waiting: either(l.Waiting, d.Waiting), Kept: either(l.Kept, d.Kept), Bytes: either(l.Bytes, d.Bytes),
		Viewers: either(l.Viewers, d.Viewers), Body: either(l.Body, d.Body), Replicas: either(l.Replicas, d.Replicas),
		Request: either(l.Request, d.Request), Answer: either(l.Answer, d.Answer),
		Answers: either(l.Answers, d.Answers), Turn: either(l.Turn, d.Turn),
	}
}

// runs are the limits of the queue of runs.
func (l Limits) runs() runs.Limits {
	return runs.Limits{Running: l.Running, Longest: l.Longest, Waiting: l.Waiting, Kept: l.Kept, Bytes: l.Bytes}
}

// either is a limit, or else the usual one.
func either[T int | int64 | uint64 | time.Duration](limit, usual T) T {
	if limit > 0 {
		return limit
	}
	return usual
}
