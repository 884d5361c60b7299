package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// plainLog is the simplest contact log: all contacts of all time, with the names of people, which
// are never used again.
type plainLog struct {
	all  []plainContact
	name []int // by id: who has it now
	next int
}

type plainContact struct {
	at        float64
	who, whom int
}

// met lists the ids of those whom the owner of an id met since a time, the newest first.
func (p *plainLog) met(id uint32, since float64) (ids []uint32) {
	for _, c := range slices.Backward(p.all) {
		if c.at < since {
			break
		}
		other := -1
		switch p.name[id] {
		case c.who:
			other = c.whom
		case c.whom:
			other = c.who
		}
		if k := slices.Index(p.name, other); other >= 0 && k >= 0 {
			ids = append(ids, uint32(k))
		}
	}
	return ids
}

// The log agrees with the simplest one, operation by operation.
func TestContactLogDiffersFromPlain(t *testing.T) {
	for seed := range testscale.Size[uint64](12, 30) {
		r := rand.New(rand.NewPCG(seed, 1))
		ids, keep := 2+r.IntN(30), 1+5*r.Float64()
		l, p := NewContactLog(keep), &plainLog{}
		l.Reserve(ids)
		for range ids {
			p.name, p.next = append(p.name, p.next), p.next+1
		}
		now, found := 0.0, 0
		for step := range testscale.Size(7000, 20_000) {
			switch x := r.IntN(100); {
			case x < 70:
				a, b := uint32(r.IntN(ids)), uint32(r.IntN(ids-1))
				if b >= a {
					b++
				}
				l.Add(a, b, now)
				p.all = append(p.all, plainContact{now, p.name[a], p.name[b]})
			case x < 72 && seed%3 > 0:
				id := r.IntN(ids)
				l.ForgetID(uint32(id))
				p.name[id], p.next = p.next, p.next+1
			case x < 73 && ids < 60:
				ids++
				l.Reserve(ids)
				p.name, p.next = append(p.name, p.next), p.next+1
			case x < 80:
				now += keep * r.ExpFloat64() * 0.02
			case x < 81:
				c := l.Copy() // the copy goes on, and the original may be changed
				l.Add(0, 1, now+keep)
				l = c
			default:
				id, since := uint32(r.IntN(ids)), now-keep*r.Float64()
				got, want := slices.Collect(l.Met(id, since)), p.met(id, since)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: id %d met %v since %v, want %v", seed, step, id, got, since, want)
				}
				found += len(got)
			}
			if step%500 == 0 {
				if err := l.Check(); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
			}
		}
		if found == 0 {
			t.Errorf("seed %d: nobody was found", seed)
		}
	}
}

// Contacts that are too old take no room.
func TestContactLogForgets(t *testing.T) {
	l := NewContactLog(1)
	l.Reserve(10)
	for k := range 100_000 {
		l.Add(uint32(k%10), uint32((k+1)%10), float64(k)/50)
	}
	if l.Len() != 51 || l.Room() != 64 {
		t.Errorf("%d contacts are remembered, with room for %d, want 51 and 64", l.Len(), l.Room())
	}
	if met := slices.Collect(l.Met(0, -1)); len(met) < 10 || len(met) > 11 {
		t.Errorf("met %v", met)
	}
}
