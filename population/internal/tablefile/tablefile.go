package tablefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// The limits of a CSV file that a model names.
const (
	MaxBytes = 16 << 20 // bytes
	MaxRows  = 100_000
)

// Files are the CSV files of a model. Each is read once.
type Files struct {
	Read     func(name string) ([]byte, error)
	Contents map[string][]byte // contents of those that have been read
	Failed   map[string]error  // why the others could not be

	// Open opens those that are read from beginning to end. It may be nil or return nil, to use Read.
	Open     func(name string) (Stream, error)
	Progress func(name string, done, of int64) // of reading one of these, in bytes; may be nil
	Cache    *Cache                            // may be nil
}

// Content returns the content of a file.
func (t *Files) Content(name string) ([]byte, error) {
	if t == nil || t.Read == nil {
		return nil, errors.New("tables are not read here")
	}
	if text, ok := t.Contents[name]; ok {
		return text, nil
	}
	if err, ok := t.Failed[name]; ok {
		return nil, err
	}
	text, err := t.Read(name)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		err = path.Err // without the name, which the caller's message has
	case err == nil && len(text) > MaxBytes:
		err = fmt.Errorf("it is larger than %d MB", MaxBytes>>20)
	}
	if err != nil {
		t.Failed[name] = err
		return nil, err
	}
	t.Contents[name] = text
	return text, nil
}

// NewReader returns a reader of CSV as programs write it: with or without a byte-order mark,
// with comments after #, and with any line ends.
func NewReader(text []byte) *csv.Reader {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !bytes.ContainsRune(text, '\n') {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")) // the line ends of old Macintoshes
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment, in.TrimLeadingSpace, in.ReuseRecord = '#', true, true
	return in
}

// Line returns the line that an error of package csv is about, or 1.
func Line(err error) int {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Line
	}
	return 1
}

// Reason returns what an error of package csv says, without the line.
func Reason(err error) error {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// A Stream is a file that is read from beginning to end, such as one of people. It may be larger
// than memory.
type Stream interface {
	io.ReadCloser
	Stat() (fs.FileInfo, error)
}

// A Cache shares what files of people and links say among compilations of one model, so that a file
// is read once. Several goroutines may use it.
type Cache struct {
	mu   sync.Mutex
	read map[string]any // by what was read, and for what
}

// Cached returns what a cache has for a key, or reads it. A cache may be nil.
func Cached[T any](c *Cache, key string, read func() *T) *T {
	if c == nil {
		return read()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.read[key]; ok {
		return t.(*T)
	}
	t := read()
	if t != nil {
		if c.read == nil {
			c.read = map[string]any{}
		}
		c.read[key] = t
	}
	return t
}

// OpenStream opens a file that is read from beginning to end. One that is small enough for a table
// is among Contents afterwards, so that it goes with the model to where the model is run.
func (t *Files) OpenStream(name string) (*File, error) {
	if t == nil || t.Open == nil {
		return t.openContent(name)
	}
	if _, ok := t.Contents[name]; ok {
		return t.openContent(name)
	}
	file, err := t.Open(name)
	switch {
	case err != nil:
		return nil, withoutName(err)
	case file == nil:
		return t.openContent(name)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, withoutName(err)
	}
	f := &File{in: file, file: file, info: info, Size: info.Size()}
	if f.Size > MaxBytes {
		return f, nil
	}
	text, err := io.ReadAll(io.LimitReader(file, f.Size+1))
	if err == nil {
		f.read = int64(len(text))
		err = f.Changed()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, withoutName(err)
	}
	t.Contents[name] = text
	return t.openContent(name)
}

// openContent opens a file that is in memory.
func (t *Files) openContent(name string) (*File, error) {
	text, err := t.Content(name)
	if err != nil {
		return nil, err
	}
	return &File{in: bytes.NewReader(text), Size: int64(len(text)), text: text}, nil
}

// withoutName removes the name of a file from an error: the caller's message has it.
func withoutName(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// A File is a file that is being read. It has as many bytes as it had when it was opened.
type File struct {
	in   io.Reader
	file Stream // nil if it is in memory
	info fs.FileInfo
	Size int64
	read int64
	text []byte // if it is in memory
}

// Key tells the file apart from others, and from what it was before.
func (f *File) Key() string {
	if f.info == nil {
		return fmt.Sprintf("%x", sha256.Sum256(f.text))
	}
	return fmt.Sprintf("%d %v", f.Size, f.info.ModTime())
}

// Read is of io.Reader. A file that grows is not read beyond its first size.
func (f *File) Read(p []byte) (int, error) {
	if left := f.Size - f.read; int64(len(p)) > left {
		p = p[:left]
	}
	if len(p) == 0 {
		return 0, io.EOF
	}
	n, err := f.in.Read(p)
	f.read += int64(n)
	return n, err
}

// Done returns how many bytes have been read.
func (f *File) Done() int64 { return f.read }

// Changed returns an error if the file has changed since it was opened.
func (f *File) Changed() error {
	if f.file == nil {
		return nil
	}
	now, err := f.file.Stat()
	switch {
	case err != nil:
		return withoutName(err)
	case now.Size() != f.Size || now.ModTime() != f.info.ModTime() || f.read != f.Size:
		return fmt.Errorf("it was written to while it was read")
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
