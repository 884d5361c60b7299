package cli

import (
	"strings"
	"testing"
)

func TestThisMachine(t *testing.T) {
	if m := ThisMachine(); m.CPU == "" || m.Cores < 1 || !strings.Contains(m.String(), "go1.") {
		t.Errorf("%+v", m)
	}
}
