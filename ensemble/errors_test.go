package ensemble

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// A server that cannot write a new stream has no room: waiting for it would take for ever.
func TestFullServer(t *testing.T) {
	for _, c := range []struct {
		code   int
		number jetstream.ErrorCode
		desc   string
		full   bool
	}{
		{500, 10047, "insufficient storage resources available", true},
		{503, 10077, "write 1.blk: no space left on device", true},
		{500, 10049, "error creating store for stream", true},
		{500, 10049, "no leader", false},
		{503, 10008, "JetStream system temporarily unavailable", false},
	} {
		err := fmt.Errorf("wrapped: %w", &jetstream.APIError{Code: c.code, ErrorCode: c.number, Description: c.desc})
		if isFull(err) != c.full || transient(err) == c.full {
			t.Errorf("%v: full %t, transient %t; want full %t", err, isFull(err), transient(err), c.full)
		}
	}
}
