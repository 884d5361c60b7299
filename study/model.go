package study

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// ReadModel reads the model file, or standard input. Tables are read beside it when it is compiled.
func (r *Request) ReadModel(stdin io.Reader) (err error) {
	if r.Model == "" && r.fromFile() {
		return r.readSaved()
	}
	if r.Model == StandardInput {
		r.filesIn(".")
		if r.Source, err = io.ReadAll(stdin); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		return nil
	}
	r.filesIn(filepath.Dir(r.Model))
	if r.Source, err = os.ReadFile(r.Model); err != nil {
		if near := nearFile(r.Model); near != "" && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the model file: %w; did you mean %s?", err, near)
		}
		return fmt.Errorf("the model file: %w", err)
	}
	return nil
}

// filesIn lets the model read files of a directory.
func (r *Request) filesIn(dir string) {
	r.Read, r.Stream = population.Dir(dir), population.OpenDir(dir)
	r.shared, r.large = new(population.Shared), map[string]bool{}
}

// nearFile returns the model file in the directory of path that has a similar name, or "".
func nearFile(path string) string {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return ""
	}
	var models []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		if strings.TrimSuffix(e.Name(), ext) == strings.TrimSuffix(name, filepath.Ext(name)) { // sir, sir.yml for sir.yaml
			return dir + e.Name()
		}
		models = append(models, e.Name())
	}
	if near := suggest.Name(name, models); near != "" {
		return dir + near
	}
	return ""
}

// Compile compiles the model with the changes of the request, and with more.
func (r *Request) Compile(more ...population.Change) (*population.Model, error) {
	changes, err := r.changes(more)
	if err != nil {
		return nil, err
	}
	for _, attributes := range r.groups {
		changes = append(changes, population.RecordBy(attributes...))
	}
	name := cmp.Or(r.Name, r.Model)
	if name == StandardInput {
		name = "standard input"
	}
	if r.fromFile() {
		return r.compileSaved(name, changes)
	}
	return population.Compile(name, r.Source, append(changes, r.reading()...)...)
}

// changes are those of the request, and more. If the model goes on with runs of a fit, they hold
// from its last data point on.
func (r *Request) changes(more []population.Change) (all []population.Change, err error) {
	var values []population.Change
	if r.Scenario != "" {
		values = append(values, population.Scenario(r.Scenario))
	}
	values = append(append(values, sets(r.Set)...), more...)
	if r.Posterior != nil && r.Posterior.Past != nil {
		return r.Posterior.Past.changes(r, values)
	}
	if r.Posterior != nil && r.Posterior.Fitted != nil {
		base, err := r.Posterior.Fitted.base()
		if err != nil {
			return nil, err
		}
		all = append(all, base)
	}
	size, err := r.size()
	if err != nil {
		return nil, err
	}
	if size != nil {
		all = append(all, population.Size(*size))
	}
	if r.Until != "" {
		all = append(all, population.Until(r.Until))
	}
	if r.SaveAt != "" {
		all = append(all, population.SaveAt(r.SaveAt))
	}
	return append(all, values...), nil
}

// sets turns settings into changes of a model.
func sets(all []population.Parameter) (changes []population.Change) {
	for _, s := range all {
		changes = append(changes, population.Set(s.Name, s.Value))
	}
	return changes
}

// file reads a table that the model names.
func (r *Request) file(name string) ([]byte, error) {
	if data, ok := r.Files[name]; ok {
		return data, nil
	}
	if r.Read == nil {
		return nil, fmt.Errorf("the table %s is not with the study", name)
	}
	data, err := r.Read(name)
	if err == nil {
		if r.Files == nil {
			r.Files = map[string][]byte{}
		}
		r.Files[name] = data
	}
	return data, err
}

// reading is how the model reads its files.
func (r *Request) reading() []population.Change {
	all := []population.Change{population.Files(r.file)}
	if r.Stream != nil {
		all = append(all, population.Streams(r.stream))
	}
	if r.Reading != nil {
		all = append(all, population.Reading(r.Reading))
	}
	if r.shared != nil {
		all = append(all, population.Share(r.shared))
	}
	return all
}

// stream opens a file that is too large for a table. Others are read as tables are.
func (r *Request) stream(name string) (fs.File, error) {
	if _, ok := r.Files[name]; ok {
		return nil, nil
	}
	f, err := r.Stream(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > population.MaxTable {
		if r.large != nil {
			r.large[name] = true
		}
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}
