//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ensemble

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A store is free as soon as its hub is closed, also while a process is being started, which has a copy of everything that is open.
func TestLockEndsAtOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	lock, err := lockDirectory(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockDirectory(name); err == nil {
		t.Fatal("it is locked twice")
	}
	copied, err := syscall.Dup(int(lock.Fd())) // as fork does
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	unlockDirectory(lock)
	again, err := lockDirectory(name)
	if err != nil {
		t.Fatal(err)
	}
	unlockDirectory(again)
}
