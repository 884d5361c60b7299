//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outdir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A lock ends when it is closed, also while a process is being started, which has a copy of
// everything that is open.
func TestLockEndsAtOnce(t *testing.T) {
	for name, flag := range map[string]int{"a directory": os.O_RDONLY, "a file": os.O_RDWR | os.O_CREATE} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			if flag != os.O_RDONLY {
				path = filepath.Join(path, "lock")
			}
			lock, err := Lock(path, flag)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Lock(path, flag); !errors.Is(err, ErrLocked) {
				t.Fatalf("locked twice: %v", err)
			}
			copied, err := syscall.Dup(int(lock.file.Fd())) // as fork does
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Close(copied)
			lock.Close()
			again, err := Lock(path, flag)
			if err != nil {
				t.Fatal(err)
			}
			again.Close()
		})
	}
}
