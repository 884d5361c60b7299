package ensemble

import (
	"os/exec"
	"syscall"
)

// endWithParent has a process killed when the tests end, however they do.
func endWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
