package reproduce

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// notices runs a claim whose theory is spoiled, and expects it to be broken in the given checks.
func notices(t *testing.T, c Claim, seed uint64, checks []string) {
	t.Helper()
	f, err := c.Run(t.Context(), Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if c.verdict(&f) != Broken {
		t.Errorf("the verdict is %s", c.verdict(&f))
	}
	for _, part := range checks {
		noticed := false
		for _, k := range f.Checks {
			noticed = noticed || !k.OK && strings.Contains(k.What, part)
		}
		if !noticed {
			t.Errorf("no check of %q notices", part)
		}
	}
}

// cancelled runs claims with a context that is done.
func cancelled(t *testing.T, claims []Claim) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range claims {
		if _, err := c.Run(ctx, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was cancelled", c.Name, err)
		}
	}
}
