package hubconf

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestHubKeys checks that the server knows every key that a hub accepts. One that it does not know
// is misspelt, or of another version.
func TestHubKeys(t *testing.T) {
	for _, key := range strings.Fields(acceptedKeys) {
		if !serverKnows(key) {
			t.Errorf("nats-server %s does not know %q", server.VERSION, key)
		}
	}
	if serverKnows("WORK") {
		t.Error("nats-server knows a key that is none")
	}
}
