package cli

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// A Machine is where numbers were measured.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"` // available to the process
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Go    string `json:"go"`
}

// ThisMachine describes this machine.
func ThisMachine() Machine {
	return Machine{CPU: cpu(), Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s %s/%s", m.CPU, m.Cores, m.Go, m.OS, m.Arch)
}

// cpu is the name of the processor, on Linux.
func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
