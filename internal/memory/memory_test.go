package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A hundred megabytes more are seen, and stay seen when they are gone.
func TestPeak(t *testing.T) {
	const size = 100 << 20
	before := Peak()
	block := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		block[i] = 1
	}
	after := Peak()
	runtime.KeepAlive(block)
	// The program may have had some of it before.
	if after < size || after < before {
		t.Errorf("%d before, %d after %d more", before, after, size)
	}
}

// What is available is read from the line that has it, and is 0 where there is none or it is no
// number.
func TestAvailable(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal: 5 kB\nMemAvailable:   22803456 kB\n": 22803456 * 1024,
		"MemTotal: 5 kB\n":        0,
		"MemAvailable: much kB\n": 0,
		"":                        0,
	} {
		s := system{root: t.TempDir()}
		if err := os.Mkdir(filepath.Join(s.root, "proc"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.root, "proc", "meminfo"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := s.available(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if n := Available(); runtime.GOOS == "linux" && n == 0 {
		t.Errorf("nothing is available")
	}
}
