//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ensemble

import (
	"errors"
	"os"
	"syscall"
)

// lockDirectory takes a lock that ends with the process, however that ends: two servers on one store would ruin it. Where the file system
// has no such locks, there is none.
func lockDirectory(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		file.Close()
		return nil, errors.New("another process is using it")
	}
	return file, nil
}

// unlockDirectory gives the lock back at once. To close the file is not enough: a process that this one is starting has it open until it runs its
// own program, and the lock with it.
func unlockDirectory(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	file.Close()
}
