package detmath

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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

// listing is what the compiler makes of the packages, with the names of their files. The go command
// repeats it if it has it from before.
func listing(t *testing.T, environment []string, directory string, packages ...string) string {
	command := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
	command.Dir = directory
	command.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOFLAGS=")
	command.Env = append(command.Env, environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", environment, err, out)
	}
	return string(out)
}

// fusions lists the fused instructions of a listing, as the regular expression has them.
func fusions(listing string) [][]string {
	var all [][]string
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

// The compiler fuses where nothing forbids it, this sees it, and a conversion prevents it.
// TestNothingIsFused, here with the build tag soak and in internal/importrules, stands on that.
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
		found := fusions(listing(t, environment, directory, "."))
		if len(found) != 1 || filepath.Base(found[0][1]) != "fused.go" {
			t.Errorf("%v: %q", environment, found)
		}
	}
}
