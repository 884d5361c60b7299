//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package ensemble

import "os"

// lockDirectory takes no lock where there is no flock.
func lockDirectory(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}

func unlockDirectory(file *os.File) { file.Close() }
