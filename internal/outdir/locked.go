package outdir

import (
	"errors"
	"os"
)

// A Locked is a file or directory that no other process can lock until it is closed.
type Locked struct{ file *os.File }

// ErrLocked is the error of [Lock] where another process has the lock.
var ErrLocked = errors.New("another process is using it")

// Lock opens a file or directory, with the flags of [os.OpenFile], and locks it. The lock ends with
// the process, however that ends. Where the system or the file system has no locks, the file is
// only opened.
func Lock(name string, flag int) (*Locked, error) {
	file, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	if mine, err := TryLock(file); !mine && err == nil {
		file.Close()
		return nil, ErrLocked
	}
	return &Locked{file}, nil
}

// Close gives the lock back at once. Closing the file alone would not do: a process that this one
// is starting has a copy of it, and of the lock, until it runs its own program.
func (l *Locked) Close() error {
	unlock(l.file)
	return l.file.Close()
}
