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

// profileFlag is --profile, a directory for go tool pprof.
type profileFlag struct{ dir string }

const (
	processorProfile = "cpu.pprof"
	memoryProfile    = "memory.pprof"
)

func (p *profileFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&p.dir, "profile", "",
		"`directory` for "+processorProfile+" and "+memoryProfile+", the profiles of the run for go tool pprof")
}

// A profile is being recorded; nil if there is none.
type profile struct {
	*cli.Output
	cpu *os.File
}

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

// stop writes the profile.
func (p *profile) stop() error {
	if p == nil {
		return nil
	}
	pprof.StopCPUProfile()
	if err := p.cpu.Close(); err != nil {
		return err
	}
	// Allocations count, since a run frees its memory at the end; the profile has them after a
	// collection.
	runtime.GC()
	if err := outdir.WriteFile(p.Path(), memoryProfile, func(w io.Writer) error {
		return pprof.Lookup("allocs").WriteTo(w,
			0)
	}); err != nil {
		return err
	}
	return p.Keep()
}

// drop discards a profile that was not stopped.
func (p *profile) drop() {
	if p != nil {
		pprof.StopCPUProfile()
		_ = p.cpu.Close()
		_ = p.Output.Drop()
	}
}

// tell prints how to read the profile.
func (p *profileFlag) tell(w io.Writer) {
	if p.dir != "" {
		fmt.Fprintf(w, "\nprofiles: go tool pprof -top %s\n", filepath.Join(p.dir, processorProfile))
	}
}
