package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A command begins at once: none of our packages makes before main what this command may not need,
// such as compiled patterns or parsed templates. What the packages of others make is theirs; all of
// it together takes 3 of the 7 ms of almanac version.
func TestNothingIsMadeBeforeItIsNeeded(t *testing.T) {
	const most = 4096 // bytes; the patterns of one package were 40,000 to 140,000
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^$")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @.*?, (\d+) bytes, \d+ allocs$`)
	seen := 0
	for _, m := range line.FindAllStringSubmatch(string(said), -1) {
		if !strings.HasPrefix(m[1], "github.com/almanac-sim/almanac/") {
			continue
		}
		seen++
		if n, _ := strconv.Atoi(m[2]); n > most {
			t.Errorf("%s makes %d bytes before main, at most %d are wanted", m[1], n, most)
		}
	}
	if seen < 5 {
		t.Errorf("%d packages of ours were seen in what inittrace says; at least 5 begin with something", seen)
	}
}
