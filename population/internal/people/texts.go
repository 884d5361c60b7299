package people

import (
	"bytes"
	"hash/maphash"
	"math"
)

// Texts numbers different texts in the order in which they come: the ids of people, or the places
// of a kind. Texts lie one after the other in one array of bytes, and a hash table finds them.
//
// Number and Add take constant time on average, for any texts: the hash function is chosen at
// random. A text takes its bytes and 4 more, and 5 to 11 in the hash table.
//
// Texts must not be used from several goroutines at once, but for Text and Number once nothing is
// added any more.
type Texts struct {
	bytes []byte
	ends  []uint32 // where each text ends
	table []uint32 // open addressing: 1 + the number of a text, 0 for none
	used  int      // entries of table
	seed  maphash.Seed
}

// maxTextBytes is how many bytes all texts may have.
const maxTextBytes = math.MaxUint32

// NewTexts returns no texts.
func NewTexts() *Texts { return &Texts{table: make([]uint32, 64), seed: maphash.MakeSeed()} }

// Len returns how many texts there are.
func (t *Texts) Len() int {
	if t == nil {
		return 0
	}
	return len(t.ends)
}

// Text returns the text with a number. It is part of the array, and must not be changed.
func (t *Texts) Text(number int) []byte {
	from := uint32(0)
	if number > 0 {
		from = t.ends[number-1]
	}
	return t.bytes[from:t.ends[number]]
}

// Number returns the number of a text, and false if it has none. Nil has no texts.
func (t *Texts) Number(text []byte) (int, bool) {
	if t == nil || len(text) == 0 {
		return 0, false
	}
	k := t.table[t.slot(text)]
	return int(k) - 1, k > 0
}

// slot returns where a text is in the table, or would be.
func (t *Texts) slot(text []byte) int {
	mask := len(t.table) - 1
	for i := int(maphash.Bytes(t.seed, text)) & mask; ; i = (i + 1) & mask {
		if k := t.table[i]; k == 0 || bytes.Equal(t.Text(int(k-1)), text) {
			return i
		}
	}
}

// Find returns the number of a text, which is added if it is new. It is −1 if there is no room.
func (t *Texts) Find(text []byte) int {
	if k := t.table[t.slot(text)]; k > 0 {
		return int(k - 1)
	}
	if !t.Add(text) {
		return -1
	}
	return t.Len() - 1
}

// Add adds a text that is new or empty, with the next number. Texts that are empty are not found.
// It reports false if there is no room.
func (t *Texts) Add(text []byte) bool {
	if uint64(len(t.bytes)+len(text)) > maxTextBytes || uint64(len(t.ends)) >= math.MaxUint32-1 {
		return false
	}
	t.bytes = append(t.bytes, text...)
	t.ends = append(t.ends, uint32(len(t.bytes)))
	if len(text) == 0 {
		return true
	}
	if t.used++; t.used > len(t.table)/4*3 {
		t.table = make([]uint32, 2*len(t.table))
		for k := range t.ends {
			if old := t.Text(k); len(old) > 0 {
				t.table[t.slot(old)] = uint32(k + 1)
			}
		}
		return true
	}
	t.table[t.slot(text)] = uint32(t.Len())
	return true
}

// Bytes returns how many bytes the texts take.
func (t *Texts) Bytes() int {
	if t == nil {
		return 0
	}
	return cap(t.bytes) + 4*cap(t.ends) + 4*len(t.table)
}
