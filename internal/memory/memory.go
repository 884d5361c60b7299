// Package memory tells how much memory the program has taken, and how much there is.
package memory

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Peak is the most memory that the program has had at once, in bytes: what the system says, or, where it says nothing,
// what the Go runtime has asked it for.
func Peak() uint64 {
	if n := peak(); n > 0 {
		return n
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// Available is how much memory, in bytes, the system says that a program could take without others having to make room, or 0 where it does
// not say.
func Available() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	return available(file)
}

// available reads it from lines like "MemAvailable:   22803456 kB".
func available(r io.Reader) uint64 {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || words[0] != "MemAvailable:" {
			continue
		}
		if kilobytes, err := strconv.ParseUint(words[1], 10, 50); err == nil {
			return kilobytes * 1024
		}
	}
	return 0
}
