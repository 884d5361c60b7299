package timers

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// child is set in the environment of a process that a test has started of itself.
const child = "TIMERS_TEST_CHILD"

func childOf(t *testing.T) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), child+"=1")
	return c
}

// A panic in a callback ends the program, as with time.AfterFunc.
func TestPanicEndsTheProgram(t *testing.T) {
	if os.Getenv(child) != "" {
		var ts Set
		ts.AfterFunc(time.Millisecond, func() { panic("of the callback") })
		time.Sleep(time.Minute)
		return
	}
	out, err := childOf(t).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: of the callback") {
		t.Errorf("%v\n%s", err, out)
	}
}
