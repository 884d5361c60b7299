package proxy

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// beBackend is what this program does as a backend: it answers with what it was asked for, and before that writes it into a file, which is there also when it is
// killed. It notes when it has more at once than it may.
func beBackend(address string) {
	log, err := os.OpenFile(os.Getenv("ALMANAC_TEST_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	most, err := strconv.ParseInt(os.Getenv("ALMANAC_TEST_CAPACITY"), 10, 64)
	if err != nil {
		panic(err)
	}
	var now atomic.Int64
	handler := func(w http.ResponseWriter, r *http.Request) {
		defer now.Add(-1)
		if n := now.Add(1); n > most {
			fmt.Fprintf(log, "over %d\n", n)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		fmt.Fprintf(log, "%s %s\n", r.Method, r.URL.Path)
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		fmt.Fprintf(w, "%s %s", r.URL.Path, body)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	panic(http.Serve(l, http.HandlerFunc(handler)))
}

// A process is a backend that can be killed.
type process struct {
	t       *testing.T
	address string
	log     string
	cmd     *exec.Cmd
}

func newProcess(t *testing.T, capacity int) *process {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p := &process{t: t, address: l.Addr().String(), log: filepath.Join(t.TempDir(), "log")}
	t.Setenv("ALMANAC_TEST_CAPACITY", strconv.Itoa(capacity))
	p.start()
	t.Cleanup(p.kill)
	return p
}

func (p *process) start() {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd = exec.Command(self)
	p.cmd.Env = append(os.Environ(), "ALMANAC_TEST_BACKEND="+p.address, "ALMANAC_TEST_LOG="+p.log)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	eventually(p.t, "the backend listens", func() bool {
		c, err := net.Dial("tcp", p.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// kill is kill -9.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// served is how often each thing was begun, by all processes of this address.
func (p *process) served() map[string]int {
	text, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	n := map[string]int{}
	for line := range strings.Lines(string(bytes.TrimRight(text, "\n"))) {
		n[strings.TrimSpace(line)]++
	}
	return n
}
