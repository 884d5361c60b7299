//go:build linux || darwin

package ensemble

import (
	"testing"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
	"github.com/almanac-sim/almanac/internal/frame"
)

// Whatever is in a message, it is refused or can be worked with: no panic, and no numbers that do
// not belong together.
func FuzzMessages(f *testing.F) {
	r := &wire.Result{Version: "v", Pieces: []wire.Piece{{Point: 0, First: 0, Count: 2}, {Point: 1, First: 5, Count: 1}},
		Names: [][]string{{"x", "y"}, {"x"}},
		Lists: []int{0, 1}, Numbers: make([]float64, 2*3+2)}
	data, err := r.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)-8])
	f.Add(frame.Join([]byte(`{"pieces":[{"p":0,"f":0,"n":9223372036854775807}],"names":[["x"]],"lists":[0]}`),
		make([]byte, 16)))
	f.Add(frame.Join([]byte(`{"failure":{"point":-1}}`), nil))
	s := &spec{Job: walks(2, 3), Version: "v"}
	data, _, err = s.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	sum := newTally([]string{"x"}, 0)
	sum.add([]float64{1, 2})
	p := sum.result([]float64{0.5})
	if data, err = p.encode(); err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := decodeSpec(data); err == nil {
			if again, key, err := s.encode(); err != nil || len(key) != 32 || len(again) == 0 {
				t.Errorf("a job that was read cannot be written: %v", err)
			}
		}
		_, _ = decodePoint(data)
		if r, err := wire.DecodeResult(data); err == nil {
			job := walks(3, 40)
			study := newScheduler(&job, RunOptions{TaskTime: time.Second})
			for range 3 {
				study.next()
			}
			study.add(wire.Key{Point: 0, First: 0}, r)
			study.add(wire.Key{Point: 0, First: 0}, r)
			study.next()
			if study.merged > 120 || study.failed != nil && r.Failure == nil && len(r.Pieces) < 2 {
				t.Errorf("%d replicas of 120; %+v", study.merged, study.failed)
			}
		}
	})
}
