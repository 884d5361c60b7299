package population

import "github.com/almanac-sim/almanac/population/internal/engine"

// Memory estimates how much memory a run takes, in bytes, with as many replicas at once as there are cores or as are asked for: at
// the start, and at most, should something be about to happen to everybody at once. Both are for as many individuals as there
// are at the start. Of a large population a sample is set up for it, so that it takes a millisecond or two. From a million individuals on,
// what the system measures at the start is at most a sixth above the first, and may be as little as half of it if nothing is to happen to most of them.
func (m *Model) Memory(o Options) (start, most uint64) {
	return engine.Estimate(m.program, o.engine())
}

// Fits tells whether there is memory for a run to begin: as much as the machine, its container and the limits of this program have left, or
// what the options say. If not, the error says what would fit; it is [ErrMemory]. Where nothing says how much there is, everything fits.
func (m *Model) Fits(o Options) error {
	e := o.engine()
	_, err := engine.Afford(m.program, e, engine.NewBudget(e))
	return err
}

// AtOnce is how many replicas of the model can be run at once in the memory that there is, of as many as there are cores or as the options
// say. It is an error if there is not enough for one.
func (m *Model) AtOnce(o Options) (int, error) {
	want := o.engine().AtOnce()
	if o.Replicas == 0 && o.Workers > 0 {
		want = o.Workers
	}
	for n := want; ; n-- {
		o.Workers, o.Replicas = n, n
		err := m.Fits(o)
		if err == nil {
			return n, nil
		}
		if n <= 1 {
			return 0, err
		}
	}
}

// What a model takes in memory, in bytes.
const (
	textBytes  = 32  // for each byte of its text, and of the tables that it names: what was read of it
	entryBytes = 160 // for each entry of the tables that it is run by
)

// Bytes estimates how many bytes the model itself takes in memory, which every result of it holds.
func (m *Model) Bytes() uint64 {
	text := len(m.source)
	for _, table := range m.compiled.Tables {
		text += len(table)
	}
	return uint64(1<<16 + textBytes*text + entryBytes*m.compiled.Entries)
}

// Recorded estimates how many bytes the results of so many replicas take in memory.
func (m *Model) Recorded(replicas int) uint64 {
	return engine.BytesOf(float64(replicas) * (float64(float64(len(m.program.Rows))*engine.RecordedBytes(m.program)) + 512))
}
