//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outdir

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// TryLock takes a file or directory for this program, until it is closed or the program ends, however it does. It reports false if another open
// file has it. The error is that of a file system without locks.
func TryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// lockDirectory takes a directory for this program, until it is closed or the program ends, however it does. It fails if
// another has it. A file system without locks has none to give, and then everybody gets one.
func lockDirectory(dir string) (io.Closer, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if mine, err := TryLock(d); !mine && err == nil {
		d.Close()
		return nil, errLocked
	}
	return d, nil
}

var errLocked = errors.New("outdir: another program has it")
