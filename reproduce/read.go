package reproduce

import (
	"fmt"
	"slices"
	"strings"
)

// Read returns the claims that a text describes, in its order. A line "# PAPER" begins the claims
// of a paper, and a line "## NAME — PLACE — VERDICT — GRADE" a claim, with the verdict that was
// found before and the grade of its evidence. A paragraph of what the paper says follows, one of
// how it is measured here, and optional notes, which come after those of the check. The map checks
// has the function for each claim, by its name, and runner makes the argument of these functions.
//
// The text and the checks are parts of one program: Read panics if they do not match.
func Read[R any](text string, runner func(*Runner) R, checks map[string]func(R) Finding) []Claim {
	var all []Claim
	_, papers, _ := strings.Cut(text, "\n# ")
	for _, section := range strings.Split(papers, "\n# ") {
		entries := strings.Split(section, "\n## ")
		for _, entry := range entries[1:] {
			parts := strings.Split(strings.TrimSpace(entry), "\n\n")
			head := strings.Split(parts[0], " — ")
			check := checks[head[0]]
			if len(head) != 4 || class(Verdict(head[2])) == "" ||
				!slices.Contains(Grades(), Grade(head[3])) || len(parts) < 3 || check == nil {
				panic(fmt.Sprintf("reproduce: %q is no claim that can be checked", parts[0]))
			}
			for i := range parts {
				parts[i] = strings.ReplaceAll(parts[i], "\n", " ")
			}
			all = append(all, Claim{
				Name: head[0], Paper: strings.TrimSpace(entries[0]), Place: head[1], Found: Verdict(head[2]),
				Grade: Grade(head[3]),
				Says:  parts[1], How: parts[2],
				Run: Checked(head[0], func(r *Runner) Finding {
					f := check(runner(r))
					f.Notes = append(f.Notes, parts[3:]...)
					return f
				}),
			})
		}
	}
	if len(all) != len(checks) {
		panic(fmt.Sprintf("reproduce: %d claims, and checks of %d", len(all), len(checks)))
	}
	return all
}
