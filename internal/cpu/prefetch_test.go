package cpu

import (
	"testing"
	"unsafe"
)

// Nothing can be seen of a prefetch but that it does no harm: not to memory, and not for any
// address.
func TestPrefetchDoesNoHarm(t *testing.T) {
	array := make([][3]uint32, 1000)
	indexes := make([][4]uint32, 100)
	for i := range array {
		array[i] = [3]uint32{uint32(i), 1, 2}
	}
	for i := range indexes {
		indexes[i][2] = uint32(i * 7919) // mostly far outside
	}
	for n := -1; n <= len(indexes); n++ {
		PrefetchGather(unsafe.Pointer(&array[0]), 12, unsafe.Pointer(&indexes[0][2]), 16, n)
		PrefetchLines(unsafe.Pointer(&array[0]), n)
		PrefetchOwn(unsafe.Pointer(&array[n+1]))
	}
	PrefetchLines(nil, 10)
	PrefetchOwn(nil)
	table := make([][][3]uint32, 100*7919>>7+1) // most of them empty
	table[0], table[1] = array[:128], array[128:256]
	for n := -1; n <= len(indexes); n++ {
		PrefetchGatherPaged(table, 7, 12, unsafe.Pointer(&indexes[0][2]), 16, n)
	}
	for i := range array {
		if array[i] != [3]uint32{uint32(i), 1, 2} {
			t.Fatalf("element %d is %v", i, array[i])
		}
	}
}
