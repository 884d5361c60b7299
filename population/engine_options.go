package population

import "runtime"

// engineOptions say how a program is run.
type engineOptions struct {
	seed     uint64
	replicas int              // how many there are in all; one if 0
	workers  int              // how many of them are run at once; as many as there are cores, and as memory is there for, if 0
	memory   uint64           // how many bytes a run may take; as many as the machine and its container have if 0
	onEvent  func(*happening) // told of everything that happens, if it is not nil
	forks    bool             // it can be forked
	patience uint64           // how much may happen while the clock stands still; see pace. The usual if 0
	windows  int              // from how many individuals on it may be run by windows; the usual if 0
}

// atOnce is how many replicas are to be run at once.
func (o *engineOptions) atOnce() int {
	workers := o.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, max(o.replicas, 1))
}
