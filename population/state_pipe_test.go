//go:build unix

package population

import (
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A pipe is no state, and is not opened: that would block until somebody writes to it.
func TestStateOfPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		_, err := OpenState(path)
		refused <- err
	}()
	for {
		select {
		case err := <-refused:
			if err == nil || !strings.HasSuffix(err.Error(), "pipe: it is not a file") {
				t.Errorf("%v", err)
			}
			return
		default:
		}
		// This succeeds once the pipe is open for reading.
		if fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = syscall.Close(fd)
			t.Fatal("it was opened")
		}
		runtime.Gosched()
	}
}

// Nor does a state take the place of one.
func TestStateInPlaceOfPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	m := modelFrom(t, "name: m\ntime: {unit: day, end: 1}\npopulation: {size: 1, start: {a: rest}}\nstates: {a: {}}\n")
	if _, err := m.CreateState(path); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("%v", err)
	}
}
