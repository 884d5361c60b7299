package clitest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Documented compares a page with the subcommands of a program and their flags.
//
// A subcommand has a section of the page with its name as heading, or a row of a table in the
// section of the program that begins with its name. The flags of the subcommand, and of the
// subcommands below it, are those that stand there in code font. A section also has the flags of
// sections named "… options" that it links to, and a row those of the section outside the table.
func Documented(t *testing.T, root *cobra.Command, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{} // by heading
	for _, part := range strings.Split("\n"+string(text), "\n## ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		sections[heading] = body
	}
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		path := c.CommandPath()
		body, found := commandText(sections, root.Name(), path)
		if !found {
			t.Errorf("%s: nothing about %s", page, path)
			continue
		}
		wanted := map[string]bool{"help": true}
		visit := func(f *pflag.Flag) { wanted[f.Name] = wanted[f.Name] || !f.Hidden }
		c.Flags().VisitAll(visit)
		for _, below := range c.Commands() {
			below.Flags().VisitAll(visit)
			if name := "`" + c.Name() + " " + below.Name(); !strings.Contains(body, name) {
				t.Errorf("%s: %s has no %s`", page, path, name)
			}
		}
		named := flagsIn(body)
		for flag, listed := range wanted {
			if listed && !named[flag] && flag != "help" {
				t.Errorf("%s: %s: --%s is missing", page, path, flag)
			}
		}
		for flag := range named {
			if !wanted[flag] {
				t.Errorf("%s: %s: there is no --%s", page, path, flag)
			}
		}
	}
	for heading := range sections {
		if name, ok := strings.CutPrefix(heading, root.Name()+" "); ok {
			if c, _, err := root.Find(strings.Fields(name)); err != nil || c == root {
				t.Errorf("%s: there is no %s", page, heading)
			}
		}
	}
}

// commandText returns what the page says about a subcommand.
func commandText(sections map[string]string, program, path string) (string, bool) {
	if body, ok := sections[path]; ok {
		for heading, shared := range sections {
			anchor := "(#" + strings.ReplaceAll(strings.ToLower(heading), " ", "-") + ")"
			if strings.HasSuffix(heading, " options") && strings.Contains(body, anchor) {
				body += shared
			}
		}
		return body, true
	}
	var text []string
	found := false
	for line := range strings.Lines(sections[program]) {
		row := strings.HasPrefix(line, "| `"+path+"`")
		if found = found || row; row || !strings.HasPrefix(line, "|") {
			text = append(text, line)
		}
	}
	return strings.Join(text, ""), found
}

// flagsIn returns the flags that stand in code font.
func flagsIn(text string) map[string]bool {
	flags := map[string]bool{}
	flag := regexp.MustCompile(`(?:^| )--([a-z-]+)`)
	for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(text, -1) {
		for _, m := range flag.FindAllStringSubmatch(strings.Trim(code, "`"), -1) {
			flags[m[1]] = true
		}
	}
	return flags
}
