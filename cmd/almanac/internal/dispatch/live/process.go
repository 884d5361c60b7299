package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A process is a program that was started here.
type process struct {
	name    string
	address string
	command *exec.Cmd
	ended   chan struct{}
	said    said // the end of what it wrote
}

// said keeps the last of what is written to it, for when something is wrong.
type said struct {
	mu   sync.Mutex
	text []byte
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	s.text = s.text[max(0, len(s.text)-2000):]
	return len(p), nil
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.TrimSpace(s.text))
}

// start runs a program that will listen at an address, and waits until it does.
func start(ctx context.Context, name, address string, env []string, program string, args ...string) (*process, error) {
	p := &process{name: name, address: address, ended: make(chan struct{})}
	p.command = exec.CommandContext(ctx, program, args...)
	p.command.Env = append(os.Environ(), env...)
	p.command.Stdout, p.command.Stderr = &p.said, &p.said
	p.command.WaitDelay = time.Second
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.command.Wait()
		close(p.ended)
	}()
	for began := time.Now(); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
			return p, nil
		}
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s has ended: %s", name, p.said.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Since(began) > 20*time.Second {
			p.stop()
			return nil, fmt.Errorf("%s does not listen at %s: %s", name, address, p.said.String())
		}
	}
}

// stop ends it.
func (p *process) stop() {
	p.command.Process.Kill()
	<-p.ended
}

// freeAddress is one of this machine at which nobody listens at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// ErrNoProc says that the system does not tell what processes use.
var ErrNoProc = errors.New("live: what processes use is read from /proc, as Linux has it, and there is none")

// ticks is how many of the units of /proc/PID/stat are a second: USER_HZ, which is 100 on all architectures that Go has.
const ticks = 100

// processor is how many seconds a process has used, of all its threads.
func (p *process) processor() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		return 0, errors.Join(ErrNoProc, err)
	}
	// The name of the program, in brackets, may have spaces.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0, ErrNoProc
	}
	user, err := strconv.ParseFloat(string(fields[11]), 64)
	system, err2 := strconv.ParseFloat(string(fields[12]), 64)
	return (user + system) / ticks, errors.Join(err, err2)
}

// memory is how much of it was resident at most, in bytes.
func (p *process) memory() (int64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, errors.Join(ErrNoProc, err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10, err
		}
	}
	return 0, ErrNoProc
}
