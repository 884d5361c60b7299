package population

import (
	"runtime/debug"
	"sync"
)

// module is the path of this module.
const module = "github.com/almanac-sim/almanac"

// Version is the version of this module in the running program: a number, or (devel), with the
// commit if it is known; unknown if the program does not say.
func Version() string { return builtFrom() }

var builtFrom = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionIn(info)
})

func versionIn(info *debug.BuildInfo) string {
	if info.Main.Path != module {
		for _, m := range info.Deps {
			if m.Path == module {
				if m.Replace != nil && m.Replace.Version == "" {
					return "(devel)" // replaced by a directory
				}
				return m.Version
			}
		}
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
	}
	return v
}
