package reproduce

import (
	"runtime"
	"runtime/debug"
	"time"
)

// A Provenance says where results come from: what is needed to repeat the run.
type Provenance struct {
	Version string    `json:"version"` // of Almanac, as Go has it
	Commit  string    `json:"commit"`  // of the source; "unknown" if the program was built without git, as by go run
	Go      string    `json:"go"`      // version and platform
	Date    time.Time `json:"date"`    // when the run began
	Seed    uint64    `json:"seed"`
	Full    bool      `json:"full"` // at the papers' sizes
	Machine string    `json:"machine,omitempty"`
	Command string    `json:"command"`
}

// NewProvenance returns the provenance of a run of this program that begins now.
func NewProvenance(o Options, machine, command string) Provenance {
	p := Provenance{Version: "unknown", Commit: "unknown",
		Go:   runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		Date: time.Now().UTC().Truncate(time.Second), Seed: o.Seed, Full: o.Full, Machine: machine, Command: command}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	if info.Main.Version != "" {
		p.Version = info.Main.Version
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			p.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", with changes"
		}
	}
	p.Commit += changed
	return p
}
