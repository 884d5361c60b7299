package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// An eventLog writes events.csv or events.parquet. Concurrent replicas write to files of their own,
// which are concatenated at the end, so that the result does not depend on the number of workers.
type eventLog struct {
	dir    string
	format results.Format
	model  *population.Model
	last   int // row at which a replica is complete
	first  int // number of the first replica, whose events come first
	cancel func(error)
	parts  []*eventPart

	mu  sync.Mutex
	err error
}

type eventPart struct {
	file *os.File
	w    *results.EventWriter
}

func newEventLog(dir string, format results.Format, m *population.Model, first, replicas int, cancel func(error)) (
	*eventLog, error) {
	l := &eventLog{dir: dir, format: format, model: m, last: len(m.Times()) - 1, first: first, cancel: cancel,
		parts: make([]*eventPart, replicas)}
	// The first replica writes to the table itself.
	if _, err := l.open(0); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *eventLog) path(part int) string {
	if part == 0 {
		return filepath.Join(l.dir, "events."+string(l.format))
	}
	return filepath.Join(l.dir, fmt.Sprintf("events.%s.part%d", l.format, part))
}

func (l *eventLog) open(part int) (*eventPart, error) {
	file, err := os.Create(l.path(part))
	if err != nil {
		return nil, err
	}
	w, err := results.NewEventWriter(file, l.format, l.model)
	if err != nil {
		return nil, err
	}
	l.parts[part] = &eventPart{file, w}
	return l.parts[part], nil
}

// fail keeps the first error and stops the run.
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

// add writes an event. The events of a replica come one at a time, so its part needs no lock.
func (l *eventLog) add(e population.Event) {
	p := l.parts[e.Replica-l.first]
	if p == nil {
		var err error
		if p, err = l.open(e.Replica - l.first); err != nil {
			l.fail(err)
			return
		}
	}
	if err := p.w.Write(e); err != nil {
		l.fail(err)
	}
}

// recorded closes the part of a complete replica.
func (l *eventLog) recorded(r population.Record) {
	if part := r.Replica - l.first; r.Row == l.last && part > 0 && l.parts[part] != nil {
		l.fail(l.parts[part].close())
	}
}

func (p *eventPart) close() error {
	if p.file == nil {
		return nil
	}
	err := errors.Join(p.w.Close(), p.file.Close())
	p.file = nil
	return err
}

// close concatenates the parts.
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
		info, err := part.Stat()
		if err == nil {
			err = l.parts[0].w.Append(part, info.Size())
		}
		l.fail(errors.Join(err, part.Close(), os.Remove(l.path(replica))))
	}
	l.fail(l.parts[0].close())
	return l.err
}
