package ensemble

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/almanac-sim/almanac/ensemble/internal/identity"
)

// The version of functions in Go names the arithmetic of the machine, as far as package math shows
// it; that of a portable kind does not.
func TestVersionNamesTheArithmetic(t *testing.T) {
	if os.Getenv("ARITHMETIC") != "" {
		hash := uint64(0)
		for i := range 64 {
			hash = hash*31 + math.Float64bits(math.Exp(0.1+float64(i)/7))
		}
		fmt.Printf("arithmetic %s; %x\n", identity.Arithmetic(), hash)
		return
	}
	k := Kind{Name: "k", Version: "1"}
	here := k.version()
	if k.Portable = true; here != k.version()+", "+identity.Arithmetic() {
		t.Errorf("%q is the version, and %q of a portable kind; the arithmetic is %q", here, k.version(),
			identity.Arithmetic())
	}
	if os.Getenv("EMULATOR") != "" {
		return // the system cannot start this program by itself
	}
	// A processor without fused multiply-add is another one if it gives other numbers.
	seen := map[string]string{}
	for _, fma := range []string{"on", "off"} {
		child := exec.Command(os.Args[0], "-test.run=^TestVersionNamesTheArithmetic$")
		child.Env = append(os.Environ(), "ARITHMETIC=1", "GODEBUG=cpu.fma="+fma)
		out, err := child.Output()
		found := regexp.MustCompile(`arithmetic (.*); (\w+)`).FindSubmatch(out)
		if err != nil || found == nil {
			t.Fatalf("%s: %v", out, err)
		}
		if as, ok := seen[string(found[2])]; ok != (len(seen) > 0 && as == string(found[1])) {
			t.Errorf("the numbers %s have the arithmetic %s and %s", found[2], found[1], as)
		}
		for numbers, as := range seen {
			if numbers != string(found[2]) && as == string(found[1]) {
				t.Errorf("the numbers %s and %s have one arithmetic, %s", numbers, found[2], as)
			}
		}
		seen[string(found[2])] = string(found[1])
	}
}
