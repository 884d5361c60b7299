package ensemble

import (
	"context"
	"fmt"
	"time"
)

// HereOptions are for jobs that are run in this process alone.
type HereOptions struct {
	RunOptions
	State    string // the directory in which the job's state is kept
	Slots    int    // replicas at once; one for each processor if 0
	MaxStore int64  // bytes of the state; three quarters of what is free if 0
}

// RunHere does a job in this process, with a server that opens no port and keeps its state in a directory. A job that was interrupted, by
// whatever it was, goes on when it is given again with the same directory.
func RunHere(ctx context.Context, job Job, o HereOptions) (Outcome, error) {
	l, err := OpenLocal(o)
	if err != nil {
		return Outcome{}, err
	}
	outcome, err := l.Run(ctx, job, o.RunOptions)
	if werr := l.Close(); err == nil && outcome.PointsDone < len(job.Points) {
		err = werr
	}
	return outcome, err
}

// A Local does one job after the other in this process, with one server that opens no port and keeps the state of all of them in a directory, and
// one worker. It is for studies that are made of many jobs; [RunHere] does one.
//
// Run may be called again when it has returned, and not at once.
type Local struct {
	hub    *Hub
	conn   *Conn
	stop   context.CancelFunc
	worker chan error
	failed chan error // there is no room, or the server cannot go on
}

// OpenLocal starts the server and the worker. Of the options, State, Slots, MaxStore, Registry and Logger are looked at.
func OpenLocal(o HereOptions) (*Local, error) {
	hub, err := StartHub(HubOptions{Store: o.State, Listen: "none", MaxStore: o.MaxStore, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	c, err := hub.Connect(ConnectOptions{Logger: o.Logger})
	if err != nil {
		hub.Close()
		return nil, err
	}
	l := &Local{hub: hub, conn: c, worker: make(chan error, 1), failed: make(chan error, 2)}
	var working context.Context
	working, l.stop = context.WithCancel(context.Background())
	go func() {
		l.worker <- Serve(working, c, WorkerOptions{Registry: o.Registry, Slots: o.Slots, Name: "here", Drain: time.Second, Logger: o.Logger,
			noRoom: func(err error) { l.fail(fmt.Errorf("%w (%s: %w)", ErrNoRoom, o.State, err)) }})
	}()
	return l, nil
}

// fail notes why nothing can go on; the first reason is the one that counts.
func (l *Local) fail(err error) {
	select {
	case l.failed <- err:
	default:
	}
}

// Run does a job, as the function [Run] does.
func (l *Local) Run(ctx context.Context, job Job, o RunOptions) (Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-l.hub.Failed():
			cancel(l.hub.Err())
		case err := <-l.failed:
			l.fail(err) // for the next job, too
			cancel(err)
		case <-done:
		}
	}()
	outcome, err := Run(ctx, l.conn, job, o)
	close(done)
	<-watched
	return outcome, err
}

// Close stops the worker, which stores what it has done, and the server. The error is the worker's.
func (l *Local) Close() error {
	l.stop()
	err := <-l.worker
	l.conn.Close()
	l.hub.Close()
	return err
}
