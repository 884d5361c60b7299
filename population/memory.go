package population

import "github.com/almanac-sim/almanac/population/internal/engine"

// Memory estimates the bytes that a run takes, with as many replicas at the same time as the
// options ask for (0 means one per core): at the start, and at most, if everybody had an event to
// come. Both are for the number of individuals at the start. A sample of a large population is set
// up for it, which takes a millisecond or two. From a million individuals on, what the system
// measures at the start is at most a sixth above the estimate; it may be as little as half of it if
// most individuals have no event.
func (m *Model) Memory(o Options) (start, most uint64) {
	return engine.Estimate(m.program, o.engine(m))
}

// PlaceMemory estimates how many of the bytes of [Model.Memory] places take at the start; 0 if the
// model has none.
func (m *Model) PlaceMemory(o Options) uint64 {
	if len(m.program.Places) == 0 {
		return 0
	}
	return engine.EstimatePlaces(m.program, o.engine(m))
}

// CheckMemory returns an error if there is not enough memory for a run: what the machine, its
// container and the limits of this process have left, or what the options say. The error is
// [ErrMemory] and says what would fit. Where the available memory is unknown, everything fits.
func (m *Model) CheckMemory(o Options) error {
	e := o.engine(m)
	_, err := engine.Afford(m.program, e, engine.NewBudget(e))
	return err
}

// AtOnce is how many replicas fit into memory at the same time, at most one per core or as many as
// the options ask for. It is an error if not even one fits.
func (m *Model) AtOnce(o Options) (int, error) {
	want := o.engine(m).AtOnce()
	if o.Replicas == 0 && o.Workers > 0 {
		want = o.Workers
	}
	for n := want; ; n-- {
		o.Workers, o.Replicas = n, n
		err := m.CheckMemory(o)
		if err == nil {
			return n, nil
		}
		if n <= 1 {
			return 0, err
		}
	}
}

// Bytes that a model takes.
const (
	textBytes  = 48  // for each byte of its text and of its tables
	entryBytes = 192 // for each entry of the compiled tables
)

// Bytes estimates how many bytes the model itself takes. Every result holds it.
func (m *Model) Bytes() uint64 {
	text := len(m.source)
	for _, table := range m.compiled.Tables {
		text += len(table)
	}
	people := 0
	if p := m.compiled.File.People; p != nil {
		inText := len(m.compiled.Tables[p.File]) // it is encoded, and no text
		text -= inText
		people = p.Table.Bytes() + inText
	}
	return uint64(1<<16 + textBytes*text + entryBytes*m.compiled.TableEntries + people)
}

// Recorded estimates how many bytes the results of so many replicas take.
func (m *Model) Recorded(replicas int) uint64 {
	return engine.BytesOf(
		float64(replicas) * (float64(float64(len(m.program.RecordTimes))*engine.RecordedBytes(m.program)) + 512),
	)
}
