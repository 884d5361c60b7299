package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
)

func newExamples() *cobra.Command {
	return &cobra.Command{
		Use:   "examples [DIR]",
		Short: "Write the example models into a directory, or list them",
		Long: `Write the example models, and the tables that they read, into a directory. They are part of the
program. If one of the files exists, nothing is written. Without a directory, list the models with a
line about each.`,
		Example: `  almanac examples models
  almanac run models/sir.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("examples: one directory, not %s", strings.Join(args, " "))
			}
			if len(args) == 1 && args[0] == "" {
				return cli.Usagef("examples: the name of the directory is empty; name one, as in almanac examples models, or " +
					"leave it out for a list of the models")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			files, err := exampleFiles()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listExamples(c, files)
			}
			return writeExamples(c, args[0], files)
		},
	}
}

// An exampleFile is a model or a table.
type exampleFile struct {
	name string
	text []byte
}

// exampleFiles returns the models and tables of the program, by name.
func exampleFiles() (all []exampleFile, err error) {
	entries, err := fs.ReadDir(examples.Files(), ".")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(examples.Files(), entry.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, exampleFile{entry.Name(), text})
	}
	return all, nil
}

// firstSentence returns the first sentence of the comment that a model begins with, without its
// full stop. A long one is cut.
func firstSentence(model []byte) string {
	const longest = 90
	var words []string
	for line := range strings.Lines(string(model)) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok || strings.TrimSpace(comment) == "" {
			break
		}
		words = append(words, strings.Fields(comment)...)
	}
	text, _, _ := strings.Cut(strings.Join(words, " "), ". ")
	text = strings.TrimSuffix(text, ".")
	if letters := []rune(text); len(letters) > longest {
		text = string(letters[:longest])
		text = strings.TrimRight(text[:strings.LastIndex(text, " ")], ",:;") + " …"
	}
	return text
}

// listExamples prints the models, each with what it is about.
func listExamples(c *cobra.Command, files []exampleFile) error {
	width := 0
	for _, f := range files {
		width = max(width, len(f.name))
	}
	for _, f := range files {
		if filepath.Ext(f.name) != ".yaml" {
			continue
		}
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%-*s  %s\n", width, f.name, firstSentence(f.text)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), "\nalmanac examples DIR writes them into a directory.")
	return err
}

// writeExamples writes all files into a directory, or none.
func writeExamples(c *cobra.Command, dir string, files []exampleFile) error {
	if file := outdir.FileAbove(dir); file != "" {
		return cli.Usagef("examples %s: %s is a file; name a directory", dir, file)
	}
	var same, other []string
	for _, f := range files {
		switch text, err := os.ReadFile(filepath.Join(dir, f.name)); {
		case err == nil && bytes.Equal(text, f.text):
			same = append(same, f.name)
		case err == nil || !errors.Is(err, fs.ErrNotExist):
			other = append(other, f.name)
		}
	}
	switch {
	case len(same) == len(files):
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s has the examples already; nothing was written\n", dir)
		return err
	case len(other) > 0:
		return cli.Usagef("examples %s: it has %s of another content already, and nothing was written; remove them, or name "+
			"another directory: %s", dir, format.Count(len(other), "file"), strings.Join(other, ", "))
	case len(same) > 0:
		return cli.Usagef("examples %s: it has a part of the examples already, and nothing was written; remove them, or "+
			"name "+
			"another directory: %s", dir, strings.Join(same, ", "))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cannotWrite("examples", dir, err)
	}
	for i, f := range files {
		if err := writeNew(filepath.Join(dir, f.name), f.text); err != nil {
			for _, before := range files[:i] {
				_ = os.Remove(filepath.Join(dir, before.name))
			}
			return cannotWrite("examples", dir, err)
		}
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s in %s; run one with almanac run %s\n",
		format.Count(len(files), "file"), dir, format.Word(filepath.Join(dir, "sir.yaml")))
	return err
}

// writeNew writes a file that does not exist yet.
func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

// cannotWrite words why something cannot be written, in terms of what the user gave.
func cannotWrite(what, path string, err error) error {
	if file := outdir.FileAbove(filepath.Dir(path)); file != "" {
		return cli.Usagef("%s %s: %s is a file, and would have to be a directory", what, path, file)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(filepath.Dir(path)); err == nil { // as in /proc
				return cli.Usagef("%s %s: nothing can be made in %s; name a directory elsewhere", what, path,
					filepath.Dir(path))
			}
			return cli.Usagef("%s %s: there is no directory %s", what, path, filepath.Dir(path))
		}
		return fmt.Errorf("%s %s: %w", what, path, at.Err)
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}
