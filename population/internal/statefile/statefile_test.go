package statefile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population/internal/statefile"
)

// small returns a file with three sections.
func small(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := statefile.NewWriter(&b)
	for _, err := range []error{
		w.Section("numbers", statefile.Bytes([]uint64{1, 2, 3}), statefile.Bytes([]uint64{4})),
		w.Section("nothing"), w.Section("text", []byte("some text")), w.End(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// readAll reads all sections of a file.
func readAll(file []byte) (sections map[string]string, err error) {
	r, err := statefile.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	sections = map[string]string{}
	for _, s := range r.Sections {
		content := make([]byte, s.Length)
		if err := r.Read(s, content); err != nil {
			return nil, err
		}
		sections[s.Name] = string(content)
	}
	return sections, nil
}

func TestSections(t *testing.T) {
	got, err := readAll(small(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got["text"] != "some text" || got["nothing"] != "" ||
		got["numbers"] != string(statefile.Bytes([]uint64{1, 2, 3, 4})) {
		t.Errorf("read %q", got)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	file := small(t)
	for i := range file {
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(file)
			damaged[i] ^= flip
			if _, err := readAll(damaged); err == nil {
				t.Errorf("byte %d xor %#x: it was read", i, flip)
			}
		}
		if _, err := readAll(file[:i]); err == nil {
			t.Errorf("the first %d of %d bytes were read", i, len(file))
		} else if i >= 24 && !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%d bytes: %v", i, err)
		}
	}
	if _, err := readAll(append(bytes.Clone(file), 0)); !errors.Is(err, statefile.ErrDamaged) {
		t.Error("something behind the end:", err)
	}
	for _, other := range []string{"", "name: sir", "almanac", "\x89PNG\r\n\x1a\n and so on, and so on"} {
		if _, err := readAll([]byte(other)); err == nil || other != "almanac" && !errors.Is(err, statefile.ErrForeign) {
			t.Errorf("%q: %v", other, err)
		}
	}
	for version, want := range map[uint32]string{
		0: "cannot read any more", statefile.Version + 1: "of a later program", math.MaxUint32: "of a later program",
	} {
		other := bytes.Clone(file)
		binary.LittleEndian.PutUint32(other[16:], version)
		binary.LittleEndian.PutUint32(other[20:], crc32.Checksum(other[:20], crc32.MakeTable(crc32.Castagnoli)))
		if _, err := readAll(other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a file of version %d: %v", version, err)
		}
	}
}

// failing is a file of which one byte cannot be read.
type failing struct {
	file []byte
	at   int64
}

var errDisk = errors.New("the disk fails")

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if at <= f.at && f.at < at+int64(len(b)) {
		return 0, errDisk
	}
	return copy(b, f.file[at:]), nil
}

// A section that several goroutines read is the one that was written; a change at its start, at its
// end or between is found, and so is a disk that fails.
func TestLargeSection(t *testing.T) {
	content := make([]byte, 17<<20+5)
	for i := range content {
		content[i] = byte(uint32(i) * 2654435761 >> 24) // no two spans are alike
	}
	var b bytes.Buffer
	w := statefile.NewWriter(&b)
	if err := errors.Join(w.Section("large", content), w.End()); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	got, err := readAll(file)
	if err != nil || got["large"] != string(content) {
		t.Fatalf("it is not what was written: %v", err)
	}
	start := bytes.Index(file, content[:64])
	for _, at := range []int{0, 1 << 22, 10 << 20, len(content) - 1} {
		file[start+at] ^= 1
		if _, err := readAll(file); !errors.Is(err, statefile.ErrDamaged) {
			t.Errorf("byte %d is another: %v", at, err)
		}
		file[start+at] ^= 1
	}
	f := &failing{file, int64(len(file))}
	r, err := statefile.NewReader(f, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f.at = 9 << 20
	if err := r.Read(r.Sections[0], make([]byte, len(content))); err != errDisk {
		t.Errorf("the disk fails: %v", err)
	}
}

// Each row of a section is handed over once, whole, and may be changed then. A wrong checksum comes
// before what is wrong with rows, and of that what is wrong with the first.
func TestReadRows(t *testing.T) {
	const row, rows = 24, 500_000
	content := make([]byte, row*rows)
	for i := range rows {
		binary.LittleEndian.PutUint64(content[row*i:], uint64(i)+1)
	}
	var b bytes.Buffer
	w := statefile.NewWriter(&b)
	if err := errors.Join(w.Section("rows", content), w.End()); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	r, err := statefile.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	into := make([]byte, len(content))
	take := func(from, to int) error {
		for i := from; i < to; i++ {
			if binary.LittleEndian.Uint64(into[row*i:]) != uint64(i)+1 {
				return fmt.Errorf("row %d", i)
			}
			clear(into[row*i:][:row])
		}
		return nil
	}
	if err := r.ReadRows(r.Sections[0], into, row, take); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(into, make([]byte, len(content))) {
		t.Error("rows were left out")
	}
	refuse := func(from, _ int) error {
		if from == 0 {
			time.Sleep(10 * time.Millisecond) // others are earlier
		}
		return fmt.Errorf("row %d", from)
	}
	if err := r.ReadRows(r.Sections[0], into, row, refuse); err == nil || err.Error() != "row 0" {
		t.Errorf("refused rows: %v", err)
	}
	file[bytes.Index(file, content[:row])+row*rows/2] ^= 1
	if err := r.ReadRows(r.Sections[0], into, row, refuse); !errors.Is(err, statefile.ErrDamaged) {
		t.Errorf("refused rows of a damaged section: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(small(f))
	f.Add([]byte("almanac state\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		sections, err := readAll(file)
		if err != nil {
			return
		}
		for _, content := range sections {
			if len(content) > len(file) {
				t.Errorf("a section of %d bytes in a file of %d", len(content), len(file))
			}
		}
	})
}

// TestKilledWriter writes a file in another process, which is killed in the middle: there is none
// by the name then.
func TestKilledWriter(t *testing.T) {
	if path := os.Getenv("ALMANAC_TEST_STATE"); path != "" {
		f, err := statefile.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := f.Section("part", make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill() // which nothing can catch
		}
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "calm.almanac")
	if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=TestKilledWriter")
	c.Env = append(os.Environ(), "ALMANAC_TEST_STATE="+path)
	if out, err := c.CombinedOutput(); err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
		t.Errorf("the file by the name is %q, %v", text, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.unfinished"))
	if len(left) != 1 {
		t.Fatalf("%q are left", left)
	}
	part, err := os.ReadFile(left[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(part); !errors.Is(err, statefile.ErrDamaged) {
		t.Error("what is left of it:", err)
	}
}

func TestKeepAndDrop(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "calm.almanac")
	for range 2 { // the second takes the place of the first
		f, err := statefile.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Keep(); err != nil {
			t.Fatal(err)
		}
		f.Drop()
	}
	f, err := statefile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Drop()
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if _, err := statefile.Create(dir); err == nil {
		t.Error("a directory took a state")
	}
	if _, err := statefile.Create(filepath.Join(dir, "none", "calm.almanac")); err == nil {
		t.Error("a directory that is not there took a state")
	}
}
