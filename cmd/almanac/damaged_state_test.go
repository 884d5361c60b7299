package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

// A state that is found damaged only when a replica goes on with it is wrong input, too.
func TestDamagedStateIsWrongInput(t *testing.T) {
	dir := t.TempDir()
	model, state := filepath.Join(dir, "town.yaml"), filepath.Join(dir, "s.almanac")
	err := os.WriteFile(model, []byte(`
name: town
time: {unit: day, end: 20}
population: {size: 2_000, start: {ill: 5, well: rest}}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: well}]}}
transmission: [{from: ill, rate: 0.5 per day, to: {well: ill}}]
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	var out, told bytes.Buffer
	args := []string{"run", model, "--save-at", "10", "--as", state}
	if got := run(t.Context(), args, &out, &told); got != cli.ExitDone {
		t.Fatal(&told)
	}
	file, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	words := bytes.Index(file, []byte("individuals/words"))
	file[words+5_000] ^= 1
	if err := os.WriteFile(state, file, 0o666); err != nil {
		t.Fatal(err)
	}
	told.Reset()
	got := run(t.Context(), []string{"run", "--from-state", state}, &out, &told)
	if got != cli.ExitUsage || !strings.Contains(told.String(), state+": it is damaged: the checksum of section") {
		t.Errorf("status %d: %s", got, &told)
	}
}
