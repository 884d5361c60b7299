package memory

import (
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Unknown is the room where nothing says how much there is.
const Unknown = math.MaxUint64

// Space is how many bytes a program can have, whatever the machine has: 2 GB with pointers of 32
// bits, 4 GB in WebAssembly, where Go's pointers have 64; otherwise Unknown.
func Space() uint64 {
	switch {
	case strconv.IntSize == 32:
		return 1 << 31
	case runtime.GOARCH == "wasm":
		return 1 << 32
	}
	return Unknown
}

// A Room is how much more memory a program can have, in bytes; Unknown where nothing says.
type Room struct {
	Pages   uint64 // memory that is written to: of the machine, of the container, up to GOMEMLIMIT
	Address uint64 // memory that is only asked for: up to what ulimit and the system's rule on lending allow
}

// Free is how much more memory this program can have now. It is what Linux tells of the machine
// (MemAvailable), of the control groups that the program is in (either version, each with those
// above it) and of its limits (ulimit -v and -d); elsewhere only GOMEMLIMIT is known. Others may
// take it in the meantime.
//
// A program with short addresses has [Space] in all.
//
// It takes some tenths of a millisecond.
func Free() Room {
	s := system{root: "/", limit: limit, soft: debug.SetMemoryLimit(-1), space: Space(), used: inUse}
	return s.free()
}

// A system is where the numbers come from; tests have their own.
type system struct {
	root  string                     // of the file system
	limit func(of string) (n uint64) // of "address" or "data"
	soft  int64                      // GOMEMLIMIT
	space uint64                     // of the addresses
	used  func() uint64              // what the program has, where no file says it
}

// free looks at everything that can limit memory, and takes the least.
func (s *system) free() Room {
	room := Room{Unknown, Unknown}
	has := s.fields("proc/meminfo")
	own := s.fields("proc/self/status")
	used, ok := own["VmRSS"]
	if !ok { // not Linux
		used = s.used()
	}
	if n := s.available(); n > 0 { // a program could not ask if there were none
		room.Pages = n
	}
	if s.soft < math.MaxInt64 {
		room.Pages = min(room.Pages, less(uint64(s.soft), used))
	}
	left := less(s.space, used)
	room = Room{Pages: min(room.Pages, left), Address: left}
	room.Pages = min(room.Pages, s.groups())
	room.Address = min(room.Address, less(s.limit("address"), own["VmSize"]), less(s.limit("data"), own["VmData"]))
	switch rule, _ := s.number("proc/sys/vm/overcommit_memory"); rule {
	case 0:
		// The system refuses a single request for more than there is altogether.
		if n, ok := has["MemTotal"]; ok {
			room.Address = min(room.Address, n+has["SwapTotal"])
		}
	case 2:
		if n, ok := has["CommitLimit"]; ok {
			room.Address = min(room.Address, less(n, has["Committed_AS"]))
		}
	}
	return room
}

// inUse is what the Go runtime has asked the system for and not given back.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}

// available is what Linux says that a program could take; 0 if it says nothing.
func (s *system) available() uint64 { return s.fields("proc/meminfo")["MemAvailable"] }

// groups is what the control groups leave.
func (s *system) groups() uint64 {
	free := uint64(Unknown)
	for line := range strings.Lines(s.read("proc/self/cgroup")) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, at, _ := strings.Cut(rest, ":")
		switch {
		case controllers == "":
			for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"} {
				free = min(free, s.group(mount, at, []string{"memory.max", "memory.high"}, "memory.current", "inactive_file"))
			}
		case strings.Contains(","+controllers+",", ",memory,"):
			free = min(free, s.group("sys/fs/cgroup/memory", at, []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes",
				"total_inactive_file"))
		}
	}
	return free
}

// group is what a control group and those above it leave. Inside a container the group may be known
// by a name that it has outside, and its files lie at the mount: they are looked at in any case.
// Pages of files that nobody has used lately are given back when memory is short, and count as
// free.
func (s *system) group(mount, at string, limits []string, usage, cache string) uint64 {
	free := uint64(Unknown)
	for at = path.Clean("/" + at); ; at = path.Dir(at) {
		dir := path.Join(mount, at)
		used, ok := s.number(path.Join(dir, usage))
		for _, name := range limits {
			limit, limited := s.number(path.Join(dir, name))
			if ok && limited && limit < 1<<60 { // version 1 says so if there is none
				free = min(free, less(limit, less(used, s.fields(path.Join(dir, "memory.stat"))[cache])))
			}
		}
		if at == "/" {
			return free
		}
	}
}

// less is the difference, 0 if it would be negative; what is unknown stays so.
func less(n, used uint64) uint64 {
	if n == Unknown {
		return n
	}
	return n - min(n, used)
}

func (s *system) read(name string) string {
	text, err := os.ReadFile(path.Join(s.root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// number is what a file says that has one.
func (s *system) number(name string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(s.read(name)), 10, 64)
	return n, err == nil
}

// fields are the numbers of a file with lines such as "MemTotal: 123 kB" or "inactive_file 123", in
// bytes.
func (s *system) fields(name string) map[string]uint64 {
	all := map[string]uint64{}
	for line := range strings.Lines(s.read(name)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		n, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			continue
		}
		if len(words) == 3 && words[2] == "kB" {
			n *= 1024
		}
		all[strings.TrimSuffix(words[0], ":")] = n
	}
	return all
}
