package population

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A run as bytes: integers as varints, each as the difference to the row before, compressed. Rows
// differ little, so that most numbers take a byte or less.

// runFormat is the first byte.
const runFormat = 1

// MarshalBinary returns the run as bytes for [Model.ReadRun], for the same model on any machine.
func (run *Run) MarshalBinary() ([]byte, error) {
	var b []byte
	whole := func(x uint64) { b = binary.AppendUvarint(b, x) }
	float := func(x float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) }
	whole(uint64(run.Replica))
	whole(uint64(run.rec.Rows))
	whole(run.Events)
	float(run.PersonYears)
	float(run.Seconds)
	float(run.Setup)
	whole(uint64(len(run.Peaks)))
	for _, p := range run.Peaks {
		whole(uint64(p.Count))
		float(p.Time)
	}
	for g := -1; g < len(run.rec.Groups); g++ {
		t := &run.rec.All
		if g >= 0 {
			t = &run.rec.Groups[g]
		}
		b = appendSteps(b, t.Counts, len(run.m.Counted))
		b = appendSteps(b, t.Flows, len(run.m.Flows))
		b = appendSteps(b, t.Named, len(run.m.CountedNames))
		for _, x := range t.Outcomes {
			float(x)
		}
		for _, x := range t.Times {
			float(x)
		}
		b = appendSteps(b, t.Seen, 2*len(run.m.Observations))
		for _, x := range t.Expected {
			float(x)
		}
	}
	for _, x := range run.rec.Values {
		float(x)
	}
	for _, s := range run.rec.Supplies {
		for _, x := range []uint64{s.Left, s.Used, s.Lost, s.Refused} {
			whole(x)
		}
	}
	for i := range run.rec.Places {
		c := &run.rec.Places[i]
		for _, x := range []uint64{uint64(c.Number), uint64(c.Members), c.TurnedAway, uint64(len(c.Sizes))} {
			whole(x)
		}
		for _, s := range c.Sizes {
			whole(uint64(s.Size))
			whole(uint64(s.Places))
		}
	}
	for _, n := range run.rec.Queues {
		whole(uint64(n))
	}
	for i := range run.rec.Networks {
		c := &run.rec.Networks[i]
		for _, x := range []uint64{uint64(c.Links), c.Formed, c.Ended, uint64(len(c.Degrees))} {
			whole(x)
		}
		for _, d := range c.Degrees {
			whole(uint64(d.Degree))
			whole(uint64(d.Individuals))
		}
	}
	if run.m.Tree != nil {
		appendTree(run.tree, whole, float)
	}
	out := bytes.NewBuffer([]byte{runFormat})
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(out)
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// maxPlaceNumbers bounds how many numbers a row has of the places of a kind. Different sizes that
// add up to all individuals are at most the root of twice as many.
const maxPlaceNumbers = 1 << 16

// maxDegrees bounds how many numbers of links a row can have: different ones that add up to twice
// 2³² links are fewer.
const maxDegrees = 1 << 18

// packers are reused, since each takes most of a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic("population: " + err.Error()) // the level is valid
	}
	return w
}}

// ReadRun reads the bytes of [Run.MarshalBinary] for a replica of this model.
func (m *Model) ReadRun(data []byte) (*Run, error) {
	if len(data) == 0 || data[0] != runFormat {
		return nil, errors.New("population: these bytes are no run, or one of another version")
	}
	n := len(m.program.RecordTimes)
	times := 0 // of person-time
	if m.program.RecordsTime {
		times = len(m.program.Counted)
	}
	most := 10*(64+3*len(m.program.Counted)) + 8*n*len(m.program.Values) +
		8*n*(len(m.program.Groups)+1)*(len(m.program.Outcomes)+times) +
		40*n*len(m.program.Supplies) + 10*n*(len(m.program.Places)*maxPlaceNumbers+len(m.program.Waits())) +
		20*n*len(m.program.Networks)*maxDegrees +
		30*n*(len(m.program.Groups)+1)*len(m.program.Observations) +
		10*n*(len(m.program.Groups)+1)*(len(m.program.Counted)+len(m.program.Flows)+len(m.program.CountedNames))
	if m.program.Tree != nil {
		most += maxTreeBytes + 20*n
	}
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[1:])), int64(most)))
	if err != nil {
		return nil, fmt.Errorf("population: a run that cannot be read: %w", err)
	}
	in := &runBytes{b: b}
	run := newRun(m.program, int(in.whole(math.MaxInt32)))
	run.rec.Rows = int(in.whole(uint64(n)))
	run.Events, run.PersonYears, run.Seconds, run.Setup = in.whole(math.MaxUint64), in.float(), in.float(), in.float()
	for range in.whole(uint64(len(m.program.Counted))) {
		run.Peaks = append(run.Peaks, Peak{int(in.whole(syntax.MaxIndividuals)), in.float()})
	}
	for g := -1; g < len(run.rec.Groups) && !in.bad; g++ {
		t := &run.rec.All
		if g >= 0 {
			t = &run.rec.Groups[g]
		}
		t.Counts = readSteps(in, t.Counts, run.rec.Rows, len(m.program.Counted))
		t.Flows = readSteps(in, t.Flows, run.rec.Rows, len(m.program.Flows))
		t.Named = readSteps(in, t.Named, run.rec.Rows, len(m.program.CountedNames))
		for range run.rec.Rows * len(m.program.Outcomes) {
			t.Outcomes = append(t.Outcomes, in.float())
		}
		for range run.rec.Rows * times {
			t.Times = append(t.Times, in.float())
		}
		t.Seen = readSteps(in, t.Seen, run.rec.Rows, 2*len(m.program.Observations))
		for range run.rec.Rows * len(m.program.Observations) {
			t.Expected = append(t.Expected, in.float())
		}
	}
	for range run.rec.Rows * len(m.program.Values) {
		run.rec.Values = append(run.rec.Values, in.float())
	}
	for range run.rec.Rows * len(m.program.Supplies) {
		most := uint64(math.MaxUint64)
		run.rec.Supplies = append(run.rec.Supplies,
			engine.Supply{Left: in.whole(most), Used: in.whole(most), Lost: in.whole(most), Refused: in.whole(most)})
	}
	for range run.rec.Rows * len(m.program.Places) {
		const most = syntax.MaxIndividuals
		c := engine.PlaceCounts{Number: int(in.whole(most)), Members: int(in.whole(most))}
		c.TurnedAway = in.whole(math.MaxUint64)
		for range in.whole(maxPlaceNumbers / 2) {
			c.Sizes = append(c.Sizes, engine.SizeCount{Size: int(in.whole(most)), Places: int(in.whole(most))})
			if in.bad {
				break
			}
		}
		run.rec.Places = append(run.rec.Places, c)
	}
	for range run.rec.Rows * len(m.program.Waits()) {
		run.rec.Queues = append(run.rec.Queues, uint32(in.whole(syntax.MaxIndividuals)))
	}
	for range run.rec.Rows * len(m.program.Networks) {
		const most = math.MaxInt64
		c := engine.NetworkCounts{Links: int(in.whole(most)), Formed: in.whole(most), Ended: in.whole(most)}
		for range in.whole(maxDegrees) {
			c.Degrees = append(c.Degrees, engine.DegreeCount{Degree: int(in.whole(most)), Individuals: int(in.whole(most))})
			if in.bad {
				break
			}
		}
		run.rec.Networks = append(run.rec.Networks, c)
	}
	if m.program.Tree != nil {
		run.tree = readTree(in, n)
	}
	if in.bad || len(in.b) > 0 {
		return nil, errors.New("population: these bytes are no run of this model")
	}
	return run, nil
}

// appendSteps writes rows of numbers, each as the difference to the one above it.
func appendSteps[T uint32 | uint64](b []byte, all []T, width int) []byte {
	for i, x := range all {
		before := T(0)
		if i >= width {
			before = all[i-width]
		}
		b = binary.AppendVarint(b, int64(x)-int64(before))
	}
	return b
}

func readSteps[T uint32 | uint64](in *runBytes, all []T, rows, width int) []T {
	for i := range rows * width {
		before := T(0)
		if i >= width {
			before = all[i-width]
		}
		x, k := binary.Varint(in.b)
		now := int64(before) + x
		if k <= 0 || now < 0 || int64(T(now)) != now {
			in.bad = true
			return all
		}
		in.b = in.b[k:]
		all = append(all, T(now))
	}
	return all
}

// runBytes are bytes being read. An error is reported once, at the end.
type runBytes struct {
	b   []byte
	bad bool
}

func (in *runBytes) whole(most uint64) uint64 {
	x, k := binary.Uvarint(in.b)
	if k <= 0 || x > most {
		in.b, in.bad = nil, true
		return 0
	}
	in.b = in.b[k:]
	return x
}

func (in *runBytes) float() float64 {
	if len(in.b) < 8 {
		in.b, in.bad = nil, true
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(in.b))
	in.b = in.b[8:]
	return x
}
