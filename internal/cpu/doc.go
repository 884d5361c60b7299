// Package cpu has what a program can tell the processor and the system about memory, and Go cannot
// say: prefetching, huge pages, and a store that only releases.
//
// Every function changes nothing but time. Where there is no assembly for a processor, with the
// race detector, and with the build tag purego, they do nothing or are the plain operation.
//
//   - prefetch.go: bring memory into the cache before it is needed. A load does the same, but the
//     processor can have only so many unfinished loads before it stops. Prefetching never fails,
//     whatever the address.
//   - huge.go: ask for huge pages. With pages of 4 KiB, some hundred megabytes have more pages than
//     a processor keeps addresses for, and every random access has to look its page up first.
//   - release.go: the store that unlocks.
//
// Each has a file for processors or systems that support it (prefetch_asm.go, huge_linux.go,
// release_asm.go) and one for all others (prefetch_other.go, huge_other.go, release_other.go).
package cpu
