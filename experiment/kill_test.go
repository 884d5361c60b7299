package experiment

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/ensemble"
)

// studied is set in a process that does the study of TestLabAfterAProcessWasKilled, to the
// directory of its state.
const studied = "ALMANAC_TEST_STUDY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(studied); dir != "" {
		if err := studyAlone(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// studyAlone does a study, and writes a line whenever a model was run, and what was found at its
// end.
func studyAlone(dir string) error {
	x := newShop()
	x.each = func() { fmt.Println("run") }
	directory, err := ensemble.OpenDirectory(dir, ensemble.DirectoryOptions{Slots: 2})
	if err != nil {
		return err
	}
	defer directory.Close()
	lab, err := NewLab(LabOptions{Model: "shop", Registry: &x.registry, Seed: 3, Executor: directory})
	if err != nil {
		return err
	}
	found, err := x.study(context.Background(), lab)
	if err == nil {
		fmt.Println("found", found)
	}
	return err
}

// startStudy does the study in a process of its own. It is killed, without a chance to tidy up,
// when it has run the model so many times; never if that is negative.
func startStudy(t *testing.T, dir string, killAfter int) (found string, runs int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), studied+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "found "); ok {
			found = text
		} else if lines.Text() != "run" {
			t.Error(lines.Text())
		} else if runs++; runs == killAfter {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Wait(); (err != nil) != (killAfter >= 0) {
		t.Fatalf("killed after %d: %v", killAfter, err)
	}
	return found, runs
}

// A process that is killed again and again, early and late, goes on where it was, and finds what
// one finds that is not, to the last digit.
func TestLabAfterAProcessWasKilled(t *testing.T) {
	want, all := startStudy(t, t.TempDir(), -1)
	if want == "" {
		t.Fatal("nothing was found")
	}
	dir := t.TempDir()
	for _, after := range []int{1, all / 3} {
		if found, _ := startStudy(t, dir, after); found != "" {
			t.Fatal("it was not killed")
		}
	}
	found, rest := startStudy(t, dir, -1)
	if found != want {
		t.Errorf("after two kills %s\nwant %s", found, want)
	}
	if rest >= all {
		t.Errorf("all %d were run again: nothing was kept of what had been done", rest)
	}
	t.Logf("%d replicas, of which %d were run after the last kill", all, rest)
}
