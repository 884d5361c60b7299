//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outdir

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockDirectory takes a directory for this program, until it is closed or the program ends, however it does. It fails if
// another has it. A file system without locks has none to give, and then everybody gets one.
func lockDirectory(dir string) (io.Closer, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		d.Close()
		return nil, err
	}
	return d, nil
}
