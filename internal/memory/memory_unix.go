//go:build linux || darwin

package memory

import (
	"runtime"
	"syscall"
)

func peak() uint64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(use.Maxrss)
	}
	return uint64(use.Maxrss) * 1024
}
