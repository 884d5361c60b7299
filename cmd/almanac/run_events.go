package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/population"
)

// An eventLog writes events.csv. Replicas that run at once write to files of their own, which are put together in the end,
// so that the file is the same for any number of workers.
type eventLog struct {
	dir    string
	last   int // the row after which a replica is done
	cancel func(error)
	parts  []*eventPart

	mu  sync.Mutex
	err error
}

type eventPart struct {
	file *os.File
	w    *bufio.Writer
}

func newEventLog(dir string, m *population.Model, replicas int, cancel func(error)) (*eventLog, error) {
	l := &eventLog{dir: dir, last: len(m.Times()) - 1, cancel: cancel, parts: make([]*eventPart, replicas)}
	// The first replica writes to events.csv itself.
	p, err := l.open(0)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(p.w, strings.Join(eventColumns(m), ","))
	return l, nil
}

// eventColumns are the columns of events.csv: those that are always there, and one for each attribute. An attribute that has
// the name of another column gets an underscore behind it.
func eventColumns(m *population.Model) []string {
	columns := []string{"replica", "time", "kind", "individual", "from", "to", "name", "by"}
	names := m.Attributes()
	for _, name := range names {
		for slices.Contains(columns, name) {
			name += "_"
			for slices.Contains(names, name) {
				name += "_"
			}
		}
		columns = append(columns, csvField(name))
	}
	return columns
}

func (l *eventLog) path(replica int) string {
	if replica == 0 {
		return filepath.Join(l.dir, "events.csv")
	}
	return filepath.Join(l.dir, fmt.Sprintf("events.csv.part%d", replica))
}

func (l *eventLog) open(replica int) (*eventPart, error) {
	file, err := os.Create(l.path(replica))
	if err != nil {
		return nil, err
	}
	l.parts[replica] = &eventPart{file, bufio.NewWriterSize(file, 1<<16)}
	return l.parts[replica], nil
}

// fail remembers the first error and ends the run.
func (l *eventLog) fail(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		l.cancel(err)
	}
}

// add writes an event. A replica's events come one at a time, so that its part needs no lock.
func (l *eventLog) add(e population.Event) {
	p := l.parts[e.Replica]
	if p == nil {
		var err error
		if p, err = l.open(e.Replica); err != nil {
			l.fail(err)
			return
		}
	}
	b := p.w.AvailableBuffer()
	b = strconv.AppendInt(b, int64(e.Replica), 10)
	b = strconv.AppendFloat(append(b, ','), e.Time, 'g', -1, 64)
	b = append(append(b, ','), e.Kind.String()...)
	b = append(b, ',')
	if e.Individual != 0 { // an intervention that happened is nobody's
		b = strconv.AppendUint(b, e.Individual, 10)
	}
	for _, field := range [...]string{e.From, e.To, e.Name} {
		b = append(append(b, ','), csvField(field)...)
	}
	b = append(b, ',')
	if e.By != 0 {
		b = strconv.AppendUint(b, e.By, 10)
	}
	for _, value := range e.Values {
		b = append(append(b, ','), csvField(value)...)
	}
	if _, err := p.w.Write(append(b, '\n')); err != nil {
		l.fail(err)
	}
}

// recorded closes the file of a replica that is done.
func (l *eventLog) recorded(r population.Record) {
	if r.Row == l.last && r.Replica > 0 && l.parts[r.Replica] != nil {
		l.fail(l.parts[r.Replica].close())
	}
}

func (p *eventPart) close() error {
	if p.file == nil {
		return nil
	}
	err := errors.Join(p.w.Flush(), p.file.Close())
	p.file = nil
	return err
}

// close puts the parts together.
func (l *eventLog) close() error {
	for replica, p := range l.parts {
		if p == nil || replica == 0 {
			continue
		}
		l.fail(p.close())
		part, err := os.Open(l.path(replica))
		if err != nil {
			l.fail(err)
			continue
		}
		_, err = io.Copy(l.parts[0].w, part)
		l.fail(errors.Join(err, part.Close(), os.Remove(l.path(replica))))
	}
	l.fail(l.parts[0].close())
	return l.err
}

// csvField quotes a field where CSV wants it.
func csvField(s string) string {
	if strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
