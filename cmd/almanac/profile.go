package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/outdir"
)

// profileFlag is the directory of --profile: where a run leaves what go tool pprof reads, for those
// who ask why it is slow, or large.
type profileFlag struct{ dir string }

const (
	processorProfile = "cpu.pprof"
	memoryProfile    = "memory.pprof"
)

func (p *profileFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&p.dir, "profile", "",
		"a directory for "+processorProfile+" and "+memoryProfile+": where the run spends its time, and what it takes "+
			"memory for")
}

// A profile is one that is being taken; nil if none is.
type profile struct {
	*cli.Output
	cpu *os.File
}

// start begins a profile, if one is asked for.
func (p *profileFlag) start() (*profile, error) {
	if p.dir == "" {
		return nil, nil
	}
	out, err := cli.OpenOutput(p.dir, "profile", processorProfile, memoryProfile)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.Replace(err.Error(), "--out ", "--profile ", 1))
	}
	cpu, err := os.Create(filepath.Join(out.Path(), processorProfile))
	if err != nil {
		return nil, errors.Join(err, out.Drop())
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(err, cpu.Close(), out.Drop())
	}
	return &profile{out, cpu}, nil
}

// stop ends a profile and keeps what was seen.
func (p *profile) stop() error {
	if p == nil {
		return nil
	}
	pprof.StopCPUProfile()
	if err := p.cpu.Close(); err != nil {
		return err
	}
	// All that was ever asked for counts, since what a run holds is let go when it ends; the
	// collector has to have seen it.
	runtime.GC()
	if err := outdir.WriteFile(p.Path(), memoryProfile, func(w io.Writer) error {
		return pprof.Lookup("allocs").WriteTo(w,
			0)
	}); err != nil {
		return err
	}
	return p.Keep()
}

// drop gives up a profile that was not stopped. It may be called after stop.
func (p *profile) drop() {
	if p != nil {
		pprof.StopCPUProfile()
		_ = p.cpu.Close()
		_ = p.Output.Drop()
	}
}

// tell says how to read what is in the directory.
func (p *profileFlag) tell(w io.Writer) {
	if p.dir != "" {
		fmt.Fprintf(w, "\nprofiles: go tool pprof -top %s\n", filepath.Join(p.dir, processorProfile))
	}
}
