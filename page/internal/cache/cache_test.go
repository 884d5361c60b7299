package cache

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// length is the size of a value in these tests.
func length(b []byte) int { return len(b) }

// What is asked for by many is made once; what takes long to make holds up nobody who wants
// something else; who leaves while it is made for them, or makes it in vain, does not keep others
// from it; and what is made badly is not kept.
func TestCacheConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(length)
		var made atomic.Int64
		slow := func() ([]byte, error) { made.Add(1); time.Sleep(time.Minute); return make([]byte, 8), nil }
		for range 5 {
			go func() {
				if v, err := s.Get(t.Context(), "slow", slow); err != nil || len(v) != 8 {
					t.Errorf("%v, %v", v, err)
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		if _, err := s.Get(t.Context(), "quick", func() ([]byte, error) { return make([]byte, 8), nil }); err != nil ||
			time.Since(began) != 0 {
			t.Errorf("another waits for %v, %v", time.Since(began), err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Get(impatient, "slow", slow); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) !=
			time.Second {
			t.Errorf("one who leaves waits for %v, %v", time.Since(began), err)
		}
		time.Sleep(time.Minute)
		if n := made.Load(); n != 1 {
			t.Errorf("made %d times", n)
		}
		// The one for whom it is made leaves.
		leaving, leave := context.WithCancel(t.Context())
		go s.Get(leaving, "left", func() ([]byte, error) { <-leaving.Done(); return nil, leaving.Err() })
		synctest.Wait()
		other := make(chan error)
		go func() {
			_, err := s.Get(t.Context(), "left", func() ([]byte, error) { return make([]byte, 8), nil })
			other <- err
		}()
		synctest.Wait()
		leave()
		if err := <-other; err != nil {
			t.Errorf("one who stays gets %v", err)
		}
		// What fails is tried again, and a panic is not waited for.
		for range 2 {
			if _, err := s.Get(t.Context(), "bad", func() ([]byte, error) { return nil, errNoValue }); !errors.Is(err,
				errNoValue) {
				t.Error(err)
			}
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = s.Get(t.Context(), "panics", func() ([]byte, error) { panic("a bug") })
		}()
		if _, err := s.Get(t.Context(), "panics", func() ([]byte, error) { return make([]byte, 8), nil }); err != nil {
			t.Error(err)
		}
	})
}

// Only so many things are kept, and only so many bytes of them: those that were asked for last.
func TestCacheBounds(t *testing.T) {
	s := New(length)
	keys := func() (all []string) {
		for _, e := range s.entries {
			all = append(all, e.key)
		}
		return all
	}
	there := func(key string) bool {
		old := true
		_, _ = s.Get(t.Context(), key, func() ([]byte, error) { old = false; return nil, errNoValue })
		return old
	}
	put := func(key string, bytes int) {
		_, _ = s.Get(t.Context(), key, func() ([]byte, error) { return make([]byte, bytes), nil })
	}
	for i := range maxEntries + 1 {
		put(fmt.Sprint(i), 8)
		put("0", 8) // which is asked for again and again
	}
	if !there("0") || there("1") || !there("2") {
		t.Errorf("%q are kept", keys())
	}
	put("large", maxBytes-(1<<20))
	put("also large", 2<<20)
	if there("large") || !there("also large") {
		t.Errorf("%q are kept", keys())
	}
	put("too large", maxBytes+8)
	if there("too large") || !there("also large") || s.bytes() > maxBytes || s.bytes() < 2<<20 {
		t.Errorf("%q are kept, %d bytes", keys(), s.bytes())
	}
}
