package dispatch

import (
	"context"
	"errors"
	"testing"
)

// What is measured is there, and items of a dispatcher that is warm allocate next to nothing.
func TestOverhead(t *testing.T) {
	all, err := MeasureOverhead(t.Context(), 5000, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if len(o.Each) != 3 || !(o.Best > 0) || o.Allocations > 0.01 {
			t.Errorf("%+v", o)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureOverhead(ctx, 10, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
