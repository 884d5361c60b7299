// Package seed derives the seeds of streams and of replications. Published results depend on its
// bytes.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
)

// Stream returns the state of the stream of random numbers that a seed and a name stand for.
func Stream(seed uint64, name string) [sha256.Size]byte { return derive("stream", seed, []byte(name)) }

// Replication returns the seed of one replication of an experiment.
func Replication(seed uint64, index int) uint64 {
	h := derive("replication", seed, binary.LittleEndian.AppendUint64(nil, uint64(index)))
	return binary.LittleEndian.Uint64(h[:])
}

// derive hashes a purpose, a zero byte, the seed with its lowest byte first, and the rest. SHA-256
// is the same everywhere and for good, and no two names collide.
func derive(purpose string, seed uint64, rest []byte) [sha256.Size]byte {
	b := append([]byte("almanac/sim "+purpose), 0)
	b = binary.LittleEndian.AppendUint64(b, seed)
	return sha256.Sum256(append(b, rest...))
}
