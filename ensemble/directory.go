package ensemble

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// DirectoryOptions configure a [Directory].
type DirectoryOptions struct {
	Slots    int          // replicas at once; 0 means one for each processor
	MaxStore int64        // bytes to store at most; 0 means three quarters of the free space
	Logger   *slog.Logger // silent if nil

	drain time.Duration // of its workers; 0 means 1 s
}

// A Directory runs jobs in this process, and stores their results in a directory. It is a hub
// without a port, with a worker for each running job. One process at a time can have it open.
type Directory struct {
	path string
	o    DirectoryOptions
	hub  *Hub
	conn *Conn

	open  context.Context // done when no job can run any more; the cause says why
	end   context.CancelCauseFunc
	mu    sync.Mutex     // orders Run's inUse.Add before Close's Wait
	inUse sync.WaitGroup // by jobs and by the watcher of the hub
}

// OpenDirectory opens a directory for jobs, and creates it if necessary. Jobs that it holds can be
// continued. Close it after use.
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

// Run runs a job; see [Executor]. When it returns, no replica of the job is running, except those
// that ignore their context.
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
		err := Serve(working, d.conn, WorkerOptions{Registry: o.Registry, Slots: d.o.Slots, Name: "here",
			Drain:  cmp.Or(d.o.drain, time.Second),
			Logger: d.o.Logger,
			onFull: func(err error) { cancel(fmt.Errorf("%w (%s: %w)", ErrNoRoom, d.path, err)) }})
		if err != nil {
			cancel(err) // there is no other worker
		}
	})
	outcome, err := d.conn.Run(ctx, job, o)
	stop()
	worker.Wait()
	return outcome, err
}

// Close ends the running jobs and releases the directory. Results are kept. It may be called more
// than once.
func (d *Directory) Close() {
	d.mu.Lock()
	d.end(fmt.Errorf("ensemble: the directory %s was closed", d.path))
	d.mu.Unlock()
	d.inUse.Wait()
	d.conn.Close()
	d.hub.Close()
}
