package outdir

import (
	"errors"
	"os"
)

// A Locked is a file or directory that no other process can lock until it is closed.
type Locked struct{ file *os.File }

// ErrLocked is returned by [Lock] if another process holds the lock.
var ErrLocked = errors.New("another process is using it")

// Lock opens a file or directory, with the flags of [os.OpenFile], and locks it until it is closed
// or the process ends. Without support for locks the file is only opened.
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

// Close releases the lock. Closing the file would not suffice: a child process has a copy of it,
// and of the lock, until it executes its program.
func (l *Locked) Close() error {
	unlock(l.file)
	return l.file.Close()
}
