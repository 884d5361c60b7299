package calendartest

import (
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/calendar"
)

// MaxID bounds the ids that [Run] uses: all are below it, so that a structure of fixed capacity can
// be made large enough.
const MaxID = 1 << 18

// An Option changes what [Run] does.
type Option func(*suite)

// AtMost keeps the number of pending events to about n, and the runs to a length in proportion. It
// is for structures that are slow by design when many events fall together, such as a calendar of
// fixed width with unordered buckets. It panics if n is below 1.
func AtMost(n int) Option {
	if n < 1 {
		panic("calendartest: AtMost needs a number of events, 1 or more")
	}
	return func(s *suite) { s.most = min(n, MaxID) }
}

// Run checks a pending-event set: every operation's result is compared with that of a [Reference]
// that received the same calls, on inputs that have broken other calendars. A method Check() error
// of the set is called, too: in the short runs after every operation while few events are pending
// and once in a thirtieth of their number otherwise, and once in a thousand operations or more in
// the long ones.
//
// The function new makes an empty set whose clock stands at start and which takes ids below
// [MaxID].
//
// It takes a second or so. With the -short flag and under the race detector the runs are shorter.
func Run(t *testing.T, new func(start float64) Set, opts ...Option) {
	s := suite{new: new, most: MaxID}
	for _, opt := range opts {
		opt(&s)
	}
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			s := s
			s.fail = func(err error) { t.Fatal(err) }
			c.run(&s)
		})
	}
}

type suite struct {
	new  func(start float64) Set
	most int         // pending events, as set by AtMost
	fail func(error) // never returns
}

// cases lists the suite, each case under the name of what it looks for.
func cases() []testCase {
	return append([]testCase{
		{"Empty", empty},
		{"Order", order},
		{"Ties", ties},
		{"TiesAfterMoves", tiesAfterMoves},
		{"OneInstant", oneInstant},
		{"Cancel", cancel},
		{"Reschedule", reschedule},
		{"Renumber", renumber},
		{"Refusals", refusals},
		{"PeekThenEarlier", peekThenEarlier},
		{"PeekThenCancel", peekThenCancel},
		{"SparseIDs", sparseIDs},
		{"HostileTimes", hostileTimes},
		{"MinusZero", minusZero},
		{"Neighbours", neighbours},
		{"BucketEdges", bucketEdges},
		{"ScaleSwitches", scaleSwitches},
		{"GrowShrink", growShrink},
		{"Sparse", sparse},
		{"ZeroDelay", zeroDelay},
		{"HeavyCancellation", heavyCancellation},
		{"Workloads", workloads},
	}, randomCases()...)
}

type testCase struct {
	name string
	run  func(*suite)
}

// short starts a run in which the set's own check follows every operation while few are pending;
// long, one in which it is rarer.
func (s *suite) short(start float64) *shadow { return newShadow(s.new(start), 1, s.fail) }
func (s *suite) long(start float64) *shadow  { return newShadow(s.new(start), 1000, s.fail) }

// size scales a number of pending events to what is wanted; ops does so with a number of
// operations.
func (s *suite) size(n int) int { return min(scaled(n), s.most) }
func (s *suite) ops(n int) int  { return min(scaled(n), 20*s.most) }

func scaled(n int) int {
	if (testing.Short() || raceEnabled) && n > 1000 {
		return max(1000, n/10)
	}
	return n
}

// must reports an error of a workload that a correct set does not give.
func (s *suite) must(err error) {
	if err != nil {
		s.fail(err)
	}
}

// random returns a generator that is the same in every run.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// shuffled returns the ids 0..n-1 in an order unlike that of their numbers.
func shuffled(n int) []calendar.ID {
	ids := make([]calendar.ID, n)
	for i, id := range random(1).Perm(n) {
		ids[i] = calendar.ID(id)
	}
	return ids
}
