package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// What the documentation shows is so. In README.md and the pages of docs
//
//   - a block of "yaml NAME" or "csv NAME" is a file that the commands of the page use,
//   - a block of "go PATH" is that file of the repository,
//   - a block of "console" is commands, each after "$ " on one line, and what they print.
//
// With -update the listings and the output are written anew. What a run took is not compared, and
// left as it is where nothing else has changed.
func TestDocumentation(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands of the documentation are for a POSIX shell, and there is none")
	}
	pages := []string{"../../README.md"}
	err := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range pages {
		t.Run(strings.TrimPrefix(filepath.ToSlash(page), "../../"), func(t *testing.T) {
			source, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
				t.Fatal(err)
			}
			is := fence().ReplaceAllStringFunc(string(source), func(block string) string {
				part := fence().FindStringSubmatch(block)
				language, name, body := part[1], part[2], part[3]
				switch {
				case (language == "yaml" || language == "csv") && name != "":
					if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
						t.Fatal(err)
					}
				case language == "go" && name != "":
					listed, err := os.ReadFile(filepath.Join("../..", name))
					if err != nil {
						t.Fatal(err)
					}
					body = string(listed)
				case language == "console":
					body = ""
					for _, c := range strings.Split("\n"+part[3], "\n$ ")[1:] {
						commands++
						command, said, _ := strings.Cut(c, "\n")
						body += "$ " + command + "\n" + printed(t, dir, command, said)
					}
				}
				return "```" + strings.TrimSpace(language+" "+name) + "\n" + body + "```\n"
			})
			if is == string(source) {
				return
			}
			if *update {
				if err := os.WriteFile(page, []byte(is), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			was, now := strings.Split(string(source), "\n"), strings.Split(is, "\n")
			for i := range was {
				if i >= len(now) || was[i] != now[i] {
					t.Errorf("line %d is %q and should be %q (go test ./cmd/almanac -run Documentation -update)", i+1, was[i],
						now[min(i, len(now)-1)])
					break
				}
			}
		})
	}
	if commands < 10 {
		t.Errorf("only %d commands were found", commands)
	}
}

// fence is a block of code with its language, the name of its file, and what is in it. It is made
// when it is needed, since this binary is the command in other tests, one of which measures what is
// made before main.
var fence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?ms)^```([a-z]*)(?: (\\S+))?\n(.*?)^```\n")
})

// took is what a run says about its own time and memory.
var took = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([0-9,]+ (?:events|balls thrown)) in .*$`)
})

// printed is what a command prints, errors included; almanac is this test's binary, as in the
// scripts. Where it differs from what the page has only in the time that it took, it is what the
// page has.
func printed(t *testing.T, dir, command, said string) string {
	t.Helper()
	said = strings.TrimRight(said, "\n") + "\n"
	if name, program := strings.CutPrefix(command, "go run ./examples/"); program {
		// That the program prints this is tested beside it.
		expected, err := os.ReadFile(filepath.Join("../../examples/expected", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(expected)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Dir = dir
	out, _ := c.CombinedOutput() // a command may fail: that is shown, too
	is := strings.TrimRight(string(out), "\n") + "\n"
	if is == "\n" {
		return ""
	}
	if took().ReplaceAllString(is, "$1") == took().ReplaceAllString(said, "$1") {
		return said
	}
	return is
}
