package ensemble

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// DirectoryOptions are for jobs that are kept in a directory.
type DirectoryOptions struct {
	Slots    int          // replicas at once; one for each processor if 0
	MaxStore int64        // bytes of what is kept; three quarters of what is free if 0
	Logger   *slog.Logger // silent if nil
}

// A Directory does jobs in this process, and keeps what is done in a directory. It is a hub that
// opens no port, with a worker for each job that runs. One process at a time can have it open.
type Directory struct {
	path string
	o    DirectoryOptions
	hub  *Hub
	conn *Conn

	open  context.Context // ends when nothing can be run any more, with why
	end   context.CancelCauseFunc
	mu    sync.Mutex     // held while a job is let in, or no further one
	inUse sync.WaitGroup // by jobs, and by what watches the hub
}

// OpenDirectory makes a directory ready for jobs: a new one, or one with jobs that were done there
// before. It is to be closed.
func OpenDirectory(path string, o DirectoryOptions) (*Directory, error) {
	hub, err := StartHub(HubOptions{Store: path, Listen: "none", MaxStore: o.MaxStore, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	conn, err := hub.Connect(ConnectOptions{Logger: o.Logger})
	if err != nil {
		hub.Close()
		return nil, err
	}
	d := &Directory{path: path, o: o, hub: hub, conn: conn}
	d.open, d.end = context.WithCancelCause(context.Background())
	d.inUse.Go(func() {
		select {
		case <-hub.Failed():
			d.end(hub.Err())
		case <-d.open.Done():
		}
	})
	return d, nil
}

// Run does a job; see [Executor]. When it returns, no replica of the job is running, unless one
// does not stop when its ctx is done.
func (d *Directory) Run(ctx context.Context, job Job, o RunOptions) (Outcome, error) {
	d.mu.Lock()
	if d.open.Err() != nil {
		d.mu.Unlock()
		return Outcome{}, context.Cause(d.open)
	}
	d.inUse.Add(1)
	d.mu.Unlock()
	defer d.inUse.Done()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(d.open, func() { cancel(context.Cause(d.open)) })()
	working, stop := context.WithCancel(ctx)
	var worker sync.WaitGroup
	worker.Go(func() {
		err := Serve(working, d.conn, WorkerOptions{Registry: o.Registry, Slots: d.o.Slots, Name: "here", Drain: time.Second,
			Logger: d.o.Logger,
			onFull: func(err error) { cancel(fmt.Errorf("%w (%s: %w)", ErrNoRoom, d.path, err)) }})
		if err != nil {
			cancel(err) // no other worker would do the job
		}
	})
	outcome, err := d.conn.Run(ctx, job, o)
	stop()
	worker.Wait()
	return outcome, err
}

// Close ends the jobs that are running, and gives the directory free. What is done is kept. To
// close it again does nothing.
func (d *Directory) Close() {
	d.mu.Lock()
	d.end(fmt.Errorf("ensemble: the directory %s was closed", d.path))
	d.mu.Unlock()
	d.inUse.Wait()
	d.conn.Close()
	d.hub.Close()
}
