package memory

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What limits memory is found wherever it is said, and the least counts.
func TestFree(t *testing.T) {
	const gb = 1 << 30
	meminfo := "MemTotal:       8388608 kB\nMemFree:  100 kB\nMemAvailable:   4194304 kB\nSwapTotal:      1048576 kB\n" +
		"CommitLimit: 3145728 kB\nCommitted_AS: 1048576 kB\n"
	status := "Name:\talmanac\nVmSize:\t 1048576 kB\nVmRSS:\t 524288 kB\nVmData:\t 262144 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		soft  int64
		space uint64
		used  uint64
		limit map[string]uint64
		want  Room
	}{
		{name: "nothing", want: Room{Unknown, Unknown}},
		{name: "a machine", files: map[string]string{"proc/meminfo": meminfo}, want: Room{4 * gb, 9 * gb}},
		{name: "32 bits, and nothing else", space: 2 * gb, want: Room{2 * gb, 2 * gb}},
		{name: "WebAssembly", space: 4 * gb, used: gb, want: Room{3 * gb, 3 * gb}},
		{name: "soft, elsewhere", soft: 2 * gb, used: gb, want: Room{gb, Unknown}},
		{name: "32 bits", space: 2 * gb, used: 1,
			files: map[string]string{"proc/meminfo": meminfo, "proc/self/status": status},
			want:  Room{3 * gb / 2, 3 * gb / 2}},
		{name: "lends all", files: map[string]string{"proc/meminfo": meminfo, "proc/sys/vm/overcommit_memory": "1\n"},
			want: Room{4 * gb, Unknown}},
		{name: "lends nothing", files: map[string]string{"proc/meminfo": meminfo, "proc/sys/vm/overcommit_memory": "2\n"},
			want: Room{4 * gb, 2 * gb}},
		{name: "soft", files: map[string]string{"proc/meminfo": meminfo, "proc/self/status": status}, soft: 2 * gb,
			want: Room{3 * gb / 2, 9 * gb}},
		{name: "soft, exceeded", files: map[string]string{"proc/meminfo": meminfo, "proc/self/status": status}, soft: 1000,
			want: Room{0, 9 * gb}},
		{name: "ulimit -v", files: map[string]string{"proc/self/status": status}, limit: map[string]uint64{"address": 3 * gb},
			want: Room{Unknown, 2 * gb}},
		{name: "ulimit -d", files: map[string]string{"proc/self/status": status}, limit: map[string]uint64{"address": 3 * gb,
			"data": gb}, want: Room{Unknown, 3 * gb / 4}},
		{name: "version 2, in a container", files: map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "2147483648\n", "sys/fs/cgroup/memory.high": "max\n",
			"sys/fs/cgroup/memory.current": "1073741824\n",
			"sys/fs/cgroup/memory.stat":    "anon 1\ninactive_file 536870912\nactive_file 5\n",
		}, want: Room{3 * gb / 2, 9 * gb}},
		{name: "version 2, limited above", files: map[string]string{
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "5\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "1073741824\n",
			"sys/fs/cgroup/a/memory.current": "1073741823\n",
		}, want: Room{1, Unknown}},
		{name: "version 1", files: map[string]string{
			"proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/x/y\n3:cpuset:/\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":   "1000\n",
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes":   "900\n",
			"sys/fs/cgroup/memory/x/memory.stat":             "inactive_file 1\ntotal_inactive_file 300\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":     "1\n",
			"sys/fs/cgroup/memory/x/y/memory.limit_in_bytes": "nonsense\n",
		}, want: Room{400, Unknown}},
		{name: "version 1, named from outside", files: map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/0123\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1100\n",
		}, want: Room{0, Unknown}},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			file := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := system{root: root, soft: math.MaxInt64, space: Unknown, used: func() uint64 { return c.used },
			limit: func(of string) uint64 {
				if n, ok := c.limit[of]; ok {
					return n
				}
				return Unknown
			}}
		if c.space != 0 {
			s.space = c.space
		}
		if c.soft != 0 {
			s.soft = c.soft
		}
		if got := s.free(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// On Linux this machine says something.
func TestFreeHere(t *testing.T) {
	before := Free()
	if runtime.GOOS != "linux" {
		return // nothing need be known
	}
	if before.Pages == 0 || before.Pages > 1<<50 {
		t.Errorf("%d bytes are free", before.Pages)
	}
}

func BenchmarkFree(b *testing.B) {
	for b.Loop() {
		Free()
	}
}
