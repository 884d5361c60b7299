package importrules

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	listing = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Every link of a page to a file of the repository leads to one, and to a heading if it names one.
func TestLinks(t *testing.T) {
	root, links := "../..", 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// A link's text may be code; its target is not.
		for _, m := range link.FindAllStringSubmatch(listing.ReplaceAllString(string(source), ""), -1) {
			if problem := follow(path, m[1]); problem != "" {
				t.Errorf("%s: %s: %s", path, m[1], problem)
			}
			links++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}
}

// follow says what is wrong with a link on a page. Links to other places are not looked at.
func follow(page, to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" {
		return ""
	}
	target := page
	if u.Path != "" {
		target = filepath.Join(filepath.Dir(page), u.Path)
	}
	if _, err := os.Stat(target); err != nil {
		return "there is no such file"
	}
	if u.Fragment == "" {
		return ""
	}
	source, err := os.ReadFile(target)
	if err != nil {
		return err.Error()
	}
	for _, m := range heading.FindAllStringSubmatch(listing.ReplaceAllString(string(source), ""), -1) {
		if anchor(m[1]) == u.Fragment {
			return ""
		}
	}
	return "there is no such heading"
}

// anchor is the name that a heading gets, by the rule of GitHub: lower case, letters, digits,
// hyphens and underscores, blanks as hyphens.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// What is wrong is found.
func TestFollow(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("# Run, and `stop`\n\n```\n# a comment\n```\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"page.md":                "",
		"#run-and-stop":          "",
		"page.md#run-and-stop":   "",
		"https://example.org/no": "",
		"other.md":               "there is no such file",
		"#a-comment":             "there is no such heading",
		"page.md#run":            "there is no such heading",
	} {
		if got := follow(page, to); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
}
