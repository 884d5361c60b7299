package cpu

// StoreRelease is the store that unlocks: a goroutine that loads what it stored sees everything
// that was stored before it.
//
// Go has only sequentially consistent atomics. Such a store also makes the processor wait until the
// value has reached the cache, which unlocking does not need: on amd64 it is an exchange of about 7
// ns. But every store of that processor releases: all see the stores of one in the order of the
// program. So StoreRelease is one move there, in assembly, because the compiler orders only what it
// knows to be atomic: it never moves a store across a call of a function that it cannot read, as it
// might across a plain store in Go. Elsewhere, with the race detector, which must see it, and with
// the build tag purego, it is the atomic store.
//
// A hold of relaxed.Queue, one Next and one Schedule, takes about 1.26 times as long with the
// atomic store: go test -run '^$' -bench QueueHold ./relaxed, with and without -tags purego.
