//go:build unix

package page_test

import "syscall"

// makePipe makes a file that opening waits for somebody to write to.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o666) }
