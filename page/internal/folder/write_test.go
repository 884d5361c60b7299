package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/almanac-sim/almanac/page/internal/httperr"
)

// What cannot be written because of the disk or the directory is said to the visitor; what else
// goes wrong is for the log.
func TestWriteError(t *testing.T) {
	for err, status := range map[error]int{fs.ErrPermission: 403, syscall.EACCES: 403, syscall.EROFS: 403,
		syscall.ENOSPC: 507, fs.ErrNotExist: 404, errors.New("else"): 0} {
		var p httperr.Error
		got := writeError("m.yaml", fmt.Errorf("openat: %w", err))
		if errors.As(got, &p); p.Status != status {
			t.Errorf("%v: %v", err, got)
		}
	}
	if writeError("m.yaml", nil) != nil {
		t.Error("what is written is not")
	}
}
