package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// A rowWriter writes a table of rows, such as results.EventWriter.
type rowWriter[R any] interface {
	Write(R) error
	Append(r io.ReaderAt, size int64) error
	Close() error
}

// A rowLog writes a table whose rows come while a run goes on: events, infections or people.
// Concurrent replicas write to files of their own, which are concatenated at the end, so that the
// result does not depend on the number of workers.
type rowLog[R any] struct {
	dir    string
	table  string // its name
	format results.Format
	begin  func(io.Writer) (rowWriter[R], error)
	first  int // number of the first replica, whose rows come first
	cancel func(error)
	parts  []*rowPart[R]

	mu  sync.Mutex
	err error
}

type rowPart[R any] struct {
	file *os.File
	w    rowWriter[R]
}

func newRowLog[R any](dir, table string, format results.Format, first, replicas int, cancel func(error),
	begin func(io.Writer) (rowWriter[R], error)) (*rowLog[R], error) {
	l := &rowLog[R]{dir: dir, table: table, format: format, begin: begin, first: first, cancel: cancel,
		parts: make([]*rowPart[R], replicas)}
	// The first replica writes to the table itself.
	if _, err := l.open(0); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *rowLog[R]) path(part int) string {
	name := l.table + "." + string(l.format)
	if part > 0 {
		name = fmt.Sprintf("%s.part%d", name, part)
	}
	return filepath.Join(l.dir, name)
}

func (l *rowLog[R]) open(part int) (*rowPart[R], error) {
	file, err := os.Create(l.path(part))
	if err != nil {
		return nil, err
	}
	w, err := l.begin(file)
	if err != nil {
		return nil, err
	}
	l.parts[part] = &rowPart[R]{file, w}
	return l.parts[part], nil
}

// fail keeps the first error and stops the run.
func (l *rowLog[R]) fail(err error) {
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

// add writes a row of a replica. They come one at a time, so its part needs no lock.
func (l *rowLog[R]) add(replica int, row R) {
	p := l.parts[replica-l.first]
	if p == nil {
		var err error
		if p, err = l.open(replica - l.first); err != nil {
			l.fail(err)
			return
		}
	}
	if err := p.w.Write(row); err != nil {
		l.fail(err)
	}
}

// done closes the part of a complete replica, so that there are no more open files than workers.
// The log may be nil.
func (l *rowLog[R]) done(replica int) {
	if l == nil {
		return
	}
	if part := replica - l.first; part > 0 && l.parts[part] != nil {
		l.fail(l.parts[part].close())
	}
}

func (p *rowPart[R]) close() error {
	if p.file == nil {
		return nil
	}
	err := errors.Join(p.w.Close(), p.file.Close())
	p.w, p.file = nil, nil // a writer of Parquet keeps megabytes
	return err
}

// close concatenates the parts up to a replica. What later ones wrote before it failed depends on
// the number of workers, and is removed.
func (l *rowLog[R]) close(last int) error {
	for replica, p := range l.parts {
		if p == nil || replica == 0 {
			continue
		}
		l.fail(p.close())
		if l.first+replica > last {
			l.fail(os.Remove(l.path(replica)))
			continue
		}
		part, err := os.Open(l.path(replica))
		if err != nil {
			l.fail(err)
			continue
		}
		info, err := part.Stat()
		if err == nil {
			err = l.parts[0].w.Append(part, info.Size())
		}
		l.fail(errors.Join(err, part.Close(), os.Remove(l.path(replica))))
	}
	l.fail(l.parts[0].close())
	return l.err
}

// rowLogs are the tables that a run writes while it goes on. Each may be nil.
type rowLogs struct {
	events *rowLog[population.Event]
	tree   *rowLog[population.Infection]
	people *rowLog[population.Person]
}

// open begins the tables of a run in a directory, and lets the options write to them: events if
// they are asked for, and the tree and the people that the model records.
func (l *rowLogs) open(dir string, format results.Format, m *population.Model, events bool, o *population.Options,
	cancel func(error)) (err error) {
	if events {
		l.events, err = newRowLog(dir, "events", format, o.First, o.Replicas, cancel,
			func(w io.Writer) (rowWriter[population.Event], error) { return results.NewEventWriter(w, format, m) })
		if err != nil {
			return err
		}
		o.OnEvent = func(e population.Event) { l.events.add(e.Replica, e) }
	}
	if m.RecordsTree() {
		l.tree, err = newRowLog(dir, "tree", format, o.First, o.Replicas, cancel,
			func(w io.Writer) (rowWriter[population.Infection], error) { return results.NewTreeWriter(w, format) })
		if err != nil {
			return err
		}
		o.OnInfection = func(e population.Infection) { l.tree.add(e.Replica, e) }
	}
	if m.RecordsPeople() {
		l.people, err = newRowLog(dir, "people", format, o.First, o.Replicas, cancel,
			func(w io.Writer) (rowWriter[population.Person], error) { return results.NewPeopleWriter(w, format, m) })
		if err != nil {
			return err
		}
		o.OnPerson = func(p population.Person) { l.people.add(p.Replica, p) }
	}
	if l.events == nil && l.tree == nil && l.people == nil {
		return nil
	}
	last := len(m.Times()) - 1
	o.OnRecord = func(r population.Record) {
		if r.Row == last { // nothing comes after it
			l.events.done(r.Replica)
			l.tree.done(r.Replica)
			l.people.done(r.Replica)
		}
	}
	return nil
}

// close ends all tables with the replicas of the result.
func (l *rowLogs) close(r *population.Result) error {
	last, all := -1, []error(nil)
	if r != nil && len(r.Runs) > 0 {
		last = r.Runs[len(r.Runs)-1].Replica
	}
	if l.events != nil {
		all = append(all, l.events.close(last))
	}
	if l.tree != nil {
		all = append(all, l.tree.close(last))
	}
	if l.people != nil {
		all = append(all, l.people.close(last))
	}
	return errors.Join(all...)
}
