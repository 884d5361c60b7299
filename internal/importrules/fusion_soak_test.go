//go:build soak

package importrules

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Where a processor has it, the compiler may round x*y + z once instead of twice. A conversion,
// float64(x*y) + z, forbids it. This compiles the packages for such processors and reads the
// listings, which takes minutes.
func TestNothingIsFused(t *testing.T) {
	base := []string{"internal/detmath", "internal/random", "capped/internal/counts"}
	for _, environment := range fusing {
		packages := base
		if environment[0] == "GOARCH=arm64" {
			packages = deciding
		}
		for _, found := range fusions(machineCode(t, environment, "../..", packages)) {
			t.Errorf("%v: %s:%s: the compiler makes %s of a product and a sum: write float64(x*y) + z",
				environment, found[1], found[2], found[3])
		}
	}
}

// The compiler fuses where nothing forbids it, the listing shows it, and a conversion prevents it.
func TestFusionIsSeen(t *testing.T) {
	directory := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module fusion\n\ngo 1.26\n",
		"fused.go": "package fusion\n\nfunc Fused(x, y, z float64) float64 { return x*y + z }\n",
		"apart.go": "package fusion\n\nfunc Apart(x, y, z float64) float64 { return float64(x*y) + z }\n",
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, environment := range fusing {
		found := fusions(machineCode(t, environment, directory, []string{"."}))
		if len(found) != 1 || filepath.Base(found[0][1]) != "fused.go" {
			t.Errorf("%v: %q", environment, found)
		}
	}
}

// The machines for which the compiler fuses a product with a sum, as settings of the environment.
var fusing = [][]string{
	{"GOARCH=arm64"},
	{"GOARCH=amd64", "GOAMD64=v3"},
	{"GOARCH=ppc64le"},
	{"GOARCH=s390x"},
	{"GOARCH=riscv64"},
	{"GOARCH=loong64"},
}

// A line of the compiler's listing with a fused multiply-add: the place in the source, and the
// instruction.
var fused = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\s+(V?FN?M(?:ADD|SUB)\w*)`)

// machineCode is what the compiler makes of the packages of a module. The go command repeats it if
// it has it from before.
func machineCode(t *testing.T, environment []string, module string, packages []string) string {
	command := exec.Command("go", "build", "-pgo=off", "-gcflags=-S")
	for _, p := range packages {
		command.Args = append(command.Args, "./"+p)
	}
	command.Dir = module
	command.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	command.Env = append(command.Env, environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", environment, err, out[:min(len(out), 1000)])
	}
	for _, p := range packages {
		if !strings.Contains(string(out), "/"+filepath.Base(p)+".") && p != "." {
			t.Fatalf("%v: the listing has nothing of %s", environment, p)
		}
	}
	return string(out)
}

// fusions lists the fused instructions of a listing, as the regular expression has them.
func fusions(listing string) (all [][]string) {
	for line := range strings.Lines(listing) {
		if !strings.Contains(line, "ADD") && !strings.Contains(line, "SUB") {
			continue // nearly all, and quicker to see than by a regular expression
		}
		if found := fused.FindStringSubmatch(line); found != nil {
			all = append(all, found)
		}
	}
	return all
}
