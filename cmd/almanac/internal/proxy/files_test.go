package proxy

import "testing"

// Clients have no more connections than leave a file for every slot of a backend.
func TestWithinFiles(t *testing.T) {
	for _, c := range []struct{ wanted, files, slots, want int }{
		{10_000, 1 << 30, 1000, 10_000}, {10_000, 20_000, 1000, 10_000}, {10_000, 1024, 64, 928}, {10_000, 10_032, 0, 10_000}, {10_000, 10_031, 0, 9_999}, {10_000, 50, 64, 1}, {5, 1024, 64, 5},
	} {
		if got := within(c.wanted, c.files, c.slots); got != c.want {
			t.Errorf("of %d connections, with %d files and %d slots: %d, want %d", c.wanted, c.files, c.slots, got, c.want)
		}
	}
	if mostFiles() < 100 {
		t.Error(mostFiles())
	}
}
