package store

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// linkReference is a network as sets of pairs.
type linkReference struct {
	peers map[uint32]map[uint32]uint32 // by individual and individual: the number of the link
}

func (r *linkReference) add(a, b, tag uint32) {
	for _, p := range [][2]uint32{{a, b}, {b, a}} {
		if r.peers[p[0]] == nil {
			r.peers[p[0]] = map[uint32]uint32{}
		}
		r.peers[p[0]][p[1]] = tag
	}
}

func (r *linkReference) remove(a, b uint32) {
	delete(r.peers[a], b)
	delete(r.peers[b], a)
}

// compare reports how a network differs from the reference.
func (r *linkReference) compare(t *testing.T, l *Links, numbered bool) {
	t.Helper()
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	ends := 0
	for id := range uint32(len(l.rows)) {
		got := map[uint32]uint32{}
		for k := range l.Degree(id) {
			tag := uint32(0)
			if numbered {
				tag = l.Tag(id, k)
				if a, at, ok := l.Find(tag); !ok || a != id && l.Peer(a, at) != id {
					t.Fatalf("link %d of %d is found at %d", tag, id, a)
				}
			}
			got[l.Peer(id, k)] = tag
		}
		if want := r.peers[id]; !maps.Equal(got, want) {
			t.Fatalf("id %d has the links %v, want %v", id, got, want)
		}
		ends += len(got)
	}
	if ends != 2*l.Count() {
		t.Fatalf("%d links have %d ends", l.Count(), ends)
	}
}

// operate decodes bytes into operations on a network, and compares it with the reference after
// each.
func operate(t *testing.T, ops []byte, ids uint32, numbered bool, every int) {
	l, want := NewLinks(numbered), &linkReference{map[uint32]map[uint32]uint32{}}
	l.Reserve(int(ids))
	var pairs []Pair
	for len(ops) >= 2 && ops[0] == 0 { // those of the start
		a, b := uint32(ops[1])%ids, uint32(ops[1]/16)%ids
		if _, ok := want.peers[a][b]; a != b && !ok {
			tag := uint32(0)
			if numbered {
				tag = uint32(len(pairs))
			}
			want.add(a, b, tag)
			pairs = append(pairs, Pair{a, b})
		}
		ops = ops[2:]
	}
	l.Fill(pairs)
	for step := 0; len(ops) >= 2; step++ {
		a, b := uint32(ops[0])%ids, uint32(ops[1])%ids
		_, linked := want.peers[a][b]
		if a != b && l.Linked(a, b) != linked {
			t.Fatalf("%d and %d are linked: %v, want %v", a, b, !linked, linked)
		}
		switch {
		case a == b && ops[1] < 8: // it leaves
			for n := l.Degree(a); n > 0; n-- {
				peer, _ := l.Remove(a, int(ops[1])%n)
				want.remove(a, peer)
			}
		case a == b:
		case linked:
			for k := range l.Degree(a) {
				if l.Peer(a, k) == b {
					if peer, tag := l.Remove(a, k); peer != b || tag != want.peers[a][b] {
						t.Fatalf("the link of %d and %d is %d with %d", a, b, tag, peer)
					}
					break
				}
			}
			want.remove(a, b)
		default:
			want.add(a, b, l.Add(a, b))
		}
		if step%every == 0 {
			want.compare(t, l, numbered)
		}
		if step%1000 == 999 {
			l = l.Copy()
		}
		ops = ops[2:]
	}
	want.compare(t, l, numbered)
}

// Any sequence of linking and unlinking agrees with sets of pairs: small rows, long rows, for which
// there is a set, and hubs.
func TestLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, ids := range []uint32{3, 20, 100, 256} {
		for _, numbered := range []bool{false, true} {
			ops := make([]byte, testscale.Size(12_000, 40_000))
			for i := range ops {
				if ops[i] = byte(r.Uint32()); ids == 256 && i%2 == 0 && i%8 > 0 {
					ops[i] &= 3 // hubs
				}
			}
			operate(t, ops, ids, numbered, 50)
		}
	}
}

func FuzzLinks(f *testing.F) {
	f.Add([]byte{0, 0x12, 0, 0x23, 1, 2, 3, 1, 1, 1, 2, 2}, uint8(5), true)
	f.Add([]byte{1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 1}, uint8(40), false)
	f.Fuzz(func(t *testing.T, ops []byte, ids uint8, numbered bool) {
		if len(ops) > 4000 {
			ops = ops[:4000]
		}
		operate(t, ops, max(2, uint32(ids)), numbered, 1)
	})
}

// Choices follow the weights, also while links end, and tables do not keep what has ended.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const ids = 20
	var pairs []Pair
	var weights []float32
	for b := range uint32(ids) {
		for a := range b {
			if r.IntN(3) > 0 || a == 0 {
				pairs = append(pairs, Pair{a, b})
				weights = append(weights, float32(math.Exp(6*r.NormFloat64())))
			}
		}
	}
	weights[5] = 0
	w := NewWeights(ids, pairs, weights)
	for range len(pairs) {
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		for _, id := range []uint32{0, 7} {
			table := map[uint32]float64{} // the probabilities by the table, exactly
			row := w.rows[id]
			for _, s := range w.slots[row.first : row.first+row.n] {
				keep := float64(s.keep) / (1<<32 - 1)
				table[s.link] += keep / float64(row.n)
				table[w.slots[row.first+s.alias].link] += (1 - keep) / float64(row.n)
			}
			for link, p := range pairs {
				if (p[0] == id || p[1] == id) && w.Has(uint32(link)) {
					if want := float64(w.links[link]) / w.Total(id); w.Total(id) > 0 && math.Abs(table[uint32(link)]-want) > 1e-8 {
						t.Fatalf("link %d of %d is chosen with probability %v, want %v", link, id, table[uint32(link)], want)
					}
				}
			}
		}
		link := uint32(r.IntN(len(pairs)))
		if w.Has(link) {
			w.End(link, pairs[link][0], pairs[link][1])
		}
	}
	// A pick takes the slot and the alias of its bits.
	w = NewWeights(3, []Pair{{0, 1}, {0, 2}}, []float32{1, 3})
	counts := [2]int{}
	for range 40_000 {
		link, ok := w.Pick(0, r.Uint64())
		if !ok {
			t.Fatal("a link that has not ended means nothing")
		}
		counts[link]++
	}
	if got := float64(counts[1]); math.Abs(got-30_000) > 4*math.Sqrt(7500) {
		t.Errorf("the link of weight 3 was chosen %v times of 40,000, want 30,000", got)
	}
	if _, ok := w.Pick(7, 1); ok {
		t.Error("somebody without links has one")
	}
}
