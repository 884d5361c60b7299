package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the stream of random numbers with a name. The same name gives the same object, so that two parts of a model that
// ask for "arrivals" take turns in one stream.
//
// What a stream brings depends on the seed of the simulation and on its name alone, not on which other streams there are or how
// much they are used. Give each purpose its own: arrivals, service, failures of machine 3. Then two variants of a model with
// the same seed meet the same arrivals even where they draw other things differently (common random numbers), and
// their difference shows with far fewer replications; see [Compare].
//
// A stream is a PCG of 128 bits whose state is a hash of seed and name. It takes about 3 ns a number, and is the same on all
// machines. It is also a source for gonum's distributions: distuv.Exponential{Rate: 2, Src: s.Stream("arrivals")}.
func (s *Simulation) Stream(name string) *rand.Rand {
	if r, ok := s.streams[name]; ok {
		return r
	}
	if s.streams == nil {
		s.streams = make(map[string]*rand.Rand)
	}
	r := newStream(s.seed, name)
	s.streams[name] = r
	return r
}

// newStream is the stream that seed and name stand for. Two of N streams of L numbers overlap with a probability of N²L/2¹²⁸.
func newStream(seed uint64, name string) *rand.Rand {
	h := derive("stream", seed, []byte(name))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(h[0:]), binary.LittleEndian.Uint64(h[8:])))
}

// replicationSeed is the seed of one replication of an experiment.
func replicationSeed(seed uint64, index int) uint64 {
	h := derive("replication", seed, binary.LittleEndian.AppendUint64(nil, uint64(index)))
	return binary.LittleEndian.Uint64(h[:])
}

// derive hashes a seed and what it is for. Published results depend on these bytes: the purpose, a zero byte, the seed with its
// lowest byte first, and the rest. SHA-256 because it is the same everywhere and for good, and no two names are alike to it.
func derive(purpose string, seed uint64, rest []byte) [sha256.Size]byte {
	b := append([]byte("almanac/sim "+purpose), 0)
	b = binary.LittleEndian.AppendUint64(b, seed)
	return sha256.Sum256(append(b, rest...))
}
