package engine

import "runtime"

// Options say how a program is run.
type Options struct {
	Seed     uint64
	Replicas int          // how many there are in all; one if 0
	Workers  int          // how many of them are run at once; as many as there are cores, and as memory is there for, if 0
	Memory   uint64       // how many bytes a run may take; as many as the machine and its container have if 0
	OnEvent  func(*Event) // told of everything that happens, if it is not nil
	Forks    bool         // it can be forked
	Patience uint64       // how much may happen while the clock stands still; see pace. The usual if 0
	Windows  int          // from how many individuals on it may be run by windows; the usual if 0
}

// AtOnce is how many replicas are to be run at once.
func (o *Options) AtOnce() int {
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, max(o.Replicas, 1))
}
