//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package outdir

import (
	"errors"
	"io"
	"os"
)

// lockDirectory does nothing where the system has no locks on directories.
func lockDirectory(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// TryLock says that there are no locks.
func TryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
