package proxy

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/almanac-sim/almanac/internal/nearest"
)

// Read is the configuration of a file, if there is one, and of flags that were given, which win. Errors name the flag, or file and line.
func Read(file string, given *pflag.FlagSet) (Config, error) {
	c := Defaults()
	flags := c.Flags()
	c.file, c.lines = file, map[string]int{}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return c, fmt.Errorf("--config: %w", err)
		}
		if err := parse(file, text, flags, given, c.lines); err != nil {
			return c, err
		}
	}
	var err error
	given.Visit(func(f *pflag.Flag) {
		if flags.Lookup(f.Name) == nil || err != nil {
			return
		}
		values := []string{f.Value.String()}
		if many, list := f.Value.(pflag.SliceValue); list {
			values = many.GetSlice()
		}
		for _, v := range values {
			err = errors.Join(err, flags.Set(f.Name, v))
		}
	})
	if err == nil {
		err = c.Check()
	}
	return c, c.locate(err)
}

// locate says of a problem with a setting from a file where it is there.
func (c *Config) locate(err error) error {
	if p, ok := errors.AsType[Problem](err); ok && c.lines[p.Setting] > 0 {
		p.place = fmt.Sprintf("%s:%d: %s", c.file, c.lines[p.Setting], p.Setting)
		p.Text = strings.ReplaceAll(p.Text, "--", "")
		return p
	}
	return err
}

// parse sets flags from a file, a mapping from their names to values or lists of values, but for those given otherwise.
func parse(file string, text []byte, flags, given *pflag.FlagSet, lines map[string]int) error {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		// "yaml: line 3: …", as the package has it
		what := strings.TrimPrefix(err.Error(), "yaml: ")
		if rest, ok := strings.CutPrefix(what, "line "); ok {
			return fmt.Errorf("%s:%s", file, rest)
		}
		return fmt.Errorf("%s: %s", file, what)
	}
	if document.Kind == 0 {
		return nil // it is empty
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: expected settings by their names, as capacity: 8", file, root.Line)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		name := key.Value
		wrong := func(n *yaml.Node, format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s: %s", file, n.Line, name, fmt.Sprintf(format, args...))
		}
		f := flags.Lookup(name)
		if f == nil {
			var names []string
			flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			if near := nearest.Name(name, names); near != "" {
				return wrong(key, "there is no such setting; did you mean %s?", near)
			}
			return wrong(key, "there is no such setting; the settings are the flags of almanac proxy, without --")
		}
		if lines[name] > 0 {
			return wrong(key, "is there twice; it is in line %d already", lines[name])
		}
		lines[name] = key.Line
		if given.Changed(name) {
			delete(lines, name)
			continue // by the command line, which wins
		}
		_, list := f.Value.(pflag.SliceValue)
		values := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode && list {
			values = value.Content
		}
		for _, v := range values {
			switch {
			case v.Kind != yaml.ScalarNode && list:
				return wrong(v, "expected a value, or a list of values")
			case v.Kind != yaml.ScalarNode:
				return wrong(v, "expected a single value")
			case v.Tag == "!!null":
				return wrong(v, "has no value")
			}
			if err := flags.Set(name, v.Value); err != nil {
				why := err.Error()
				if inner := errors.Unwrap(err); inner != nil {
					why = inner.Error()
				}
				return wrong(v, "%s", plain(v.Value, f.Value.Type(), why))
			}
		}
	}
	return nil
}

// plain says what is wrong with a value, where the package of flags says it in terms of Go.
func plain(value, kind, why string) string {
	switch kind {
	case "duration":
		return fmt.Sprintf("%q is not a time; wanted is one like 500ms, 10s or 1m", value)
	case "int":
		return fmt.Sprintf("%q is not a whole number", value)
	case "bool":
		return fmt.Sprintf("%q is neither true nor false", value)
	case "intSlice":
		return fmt.Sprintf("%q is not a list of whole numbers", value)
	}
	return why
}
