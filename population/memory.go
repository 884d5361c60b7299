package population

import "github.com/almanac-sim/almanac/population/internal/engine"

// Memory estimates how much memory a run takes, in bytes, with as many replicas at once as there are cores or as are asked for: at
// the start, and at most, should something be about to happen to everybody at once. Both are for as many individuals as there
// are at the start. Of a large population a sample is set up for it, so that it takes a millisecond or two. From a million individuals on,
// what the system measures at the start is at most a sixth above the first, and may be as little as half of it if nothing is to happen to most of them.
func (m *Model) Memory(o Options) (start, most uint64) {
	return engine.Estimate(m.program, o.engine(m))
}

// Fits tells whether there is memory for a run to begin: as much as the machine, its container and the limits of this program have left, or
// what the options say. If not, the error says what would fit; it is [ErrMemory]. Where nothing says how much there is, everything fits.
func (m *Model) Fits(o Options) error {
	e := o.engine(m)
	_, err := engine.Afford(m.program, e, engine.NewBudget(e))
	return err
}
