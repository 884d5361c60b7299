package statefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
)

// Version is that of the files that this package writes. It reads no other.
const Version = 1

// magic begins every file.
const magic = "almanac state\n\x00\x00"

// endName is the name of the last section.
const endName = "end"

var table = crc32.MakeTable(crc32.Castagnoli)

// A Writer writes sections. The first error is kept and returned by all later calls.
type Writer struct {
	w        io.Writer
	sections uint64
	err      error
}

// NewWriter writes the header. The writer is not buffered: contents are written as they are.
func NewWriter(w io.Writer) *Writer {
	out := &Writer{w: w}
	head := binary.LittleEndian.AppendUint32([]byte(magic), Version)
	out.write(binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, table)))
	return out
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

// Section writes a section whose content is the given parts, one after the other.
func (w *Writer) Section(name string, parts ...[]byte) error {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	return w.Stream(name, uint64(length), func(out io.Writer) error {
		for _, p := range parts {
			if _, err := out.Write(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stream writes a section of a known length, whose content fill writes.
func (w *Writer) Stream(name string, length uint64, fill func(io.Writer) error) error {
	if len(name) > math.MaxUint16 {
		panic("statefile: the name of a section is too long")
	}
	head := binary.LittleEndian.AppendUint16(nil, uint16(len(name)))
	head = binary.LittleEndian.AppendUint64(append(head, name...), length)
	w.write(binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, table)))
	if w.err != nil {
		return w.err
	}
	content := &summed{w: w.w}
	if w.err = fill(content); w.err != nil {
		return w.err
	}
	if content.n != length {
		panic(fmt.Sprintf("statefile: section %s has %d bytes, not %d", name, content.n, length))
	}
	w.write(binary.LittleEndian.AppendUint32(nil, content.sum))
	w.sections++
	return w.err
}

// End writes the last section.
func (w *Writer) End() error {
	return w.Section(endName, binary.LittleEndian.AppendUint64(nil, w.sections))
}

// summed adds up the checksum of what is written.
type summed struct {
	w   io.Writer
	n   uint64
	sum uint32
}

// chunk is how many bytes are written and summed at a time, so that they are still in the cache.
const chunk = 1 << 18

func (s *summed) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		part := b[:min(len(b), chunk)]
		s.sum = crc32.Update(s.sum, table, part)
		n, err := s.w.Write(part)
		written += n
		s.n += uint64(n)
		if err != nil {
			return written, err
		}
		b = b[len(part):]
	}
	return written, nil
}

// A File is a file that is written under a temporary name and gets its own when it is complete. The
// temporary name ends in ".unfinished".
type File struct {
	*Writer
	path string
	f    *os.File
}

// Create begins a file. What is there by its name stays until the new one is complete.
func Create(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	} else if err == nil && !info.Mode().IsRegular() { // such as a device, in whose place Keep would put a file
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.unfinished")
	if err != nil {
		var where *os.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{NewWriter(f), path, f}, nil
}

// Keep writes the last section and gives the file its name, once its bytes are on the disk.
func (f *File) Keep() error {
	err := f.End()
	if err == nil {
		err = f.f.Sync()
	}
	if err == nil {
		err = f.f.Chmod(0o644)
	}
	if err = errors.Join(err, f.f.Close()); err == nil {
		err = os.Rename(f.f.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(f.f.Name())
	}
	f.f = nil
	return err
}

// Drop removes what was written. After Keep it does nothing.
func (f *File) Drop() {
	if f != nil && f.f != nil {
		_ = f.f.Close()
		_ = os.Remove(f.f.Name())
		f.f = nil
	}
}
