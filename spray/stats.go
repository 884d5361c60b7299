package spray

import "runtime"

// Stats are what a list has done since it was made.
type Stats struct {
	Sprays     uint64 // walks
	Collisions uint64 // walks that ended where everything was dead or claimed by others
	Padding    uint64 // walks that ended in the padding
	Short      uint64 // walks that came to the end of the list
	Exact      uint64 // removals by Spray that took the first element
	Sweeps     uint64 // sweeps
	Unlinked   uint64 // nodes unlinked from all levels
	Nodes      int    // nodes in the arena
}

// Stats adds up what all goroutines have done. It waits for operations that are under way.
func (l *List[K, V]) Stats() Stats {
	var sum Stats
	for _, s := range *l.all.Load() {
		for !l.sit(s) {
			runtime.Gosched()
		}
		sum.Sprays += s.stats.Sprays
		sum.Collisions += s.stats.Collisions
		sum.Padding += s.stats.Padding
		sum.Short += s.stats.Short
		sum.Exact += s.stats.Exact
		sum.Sweeps += s.stats.Sweeps
		sum.Unlinked += s.stats.Unlinked
		s.leave()
	}
	sum.Nodes = int(l.fresh.Load())
	return sum
}
