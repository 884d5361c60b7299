package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// LinkColumns are Links as columns, for the file of a saved state. Individuals are counted from the
// first on. The rest follows from them.
type LinkColumns struct {
	Degrees []uint32 // by individual
	Peers   []uint32 // the entries of all rows, one after the other
	Twins   []uint32
	Tags    []uint32 // likewise; nil if links have no numbers
	Ends    []uint32 // by number: the individual of one of its entries, and where it is in the row
	Unused  []uint32 // numbers of links that have ended
}

// Columns returns the links of the ids from first to before end.
func (l *Links) Columns(first, end uint32) LinkColumns {
	var c LinkColumns
	l.Reserve(int(end))
	for id := first; id < end; id++ {
		c.Degrees = append(c.Degrees, l.rows[id].n)
		for _, peer := range l.row(id) {
			c.Peers = append(c.Peers, peer-first)
		}
		c.Twins = append(c.Twins, l.rowOf(l.twins, id)...)
		if l.tags != nil {
			c.Tags = append(c.Tags, l.rowOf(l.tags, id)...)
		}
	}
	for _, p := range l.places {
		if p.id != noLink {
			p.id -= first
		} else {
			p.at = 0
		}
		c.Ends = append(c.Ends, p.id, p.at)
	}
	c.Unused = l.unused
	return c
}

var errLinks = errors.New("the columns of links do not belong together")

// SetColumns sets the links of the ids from first on. There must be none yet. It is an error if the
// columns do not belong together, and then l must not be used.
func (l *Links) SetColumns(c LinkColumns, first uint32) error {
	ids := int(first) + len(c.Degrees)
	l.Reserve(ids)
	if len(c.Twins) != len(c.Peers) || len(c.Ends)%2 != 0 || l.tags != nil && len(c.Tags) != len(c.Peers) ||
		l.tags == nil && len(c.Ends)+len(c.Unused) > 0 {
		return errLinks
	}
	at := 0
	for i, n := range c.Degrees {
		if n == 0 {
			continue
		}
		if uint(n) > uint(len(c.Peers)-at) || n > 1<<seatBits {
			return errLinks
		}
		r := &l.rows[int(first)+i]
		*r = LinkRow{n, l.takeBlock(levelFor(n))}
		level, from := blockAt(r.at)
		for k := range int(n) {
			peer := c.Peers[at+k]
			if uint(peer) >= uint(len(c.Degrees)) || int(peer) == i {
				return errLinks
			}
			l.peers[level][from+k], l.twins[level][from+k] = peer+first, c.Twins[at+k]
			if l.tags != nil {
				if l.tags[level][from+k] = c.Tags[at+k]; uint(c.Tags[at+k]) >= uint(len(c.Ends)/2) {
					return errLinks
				}
			}
		}
		at += int(n)
	}
	if at != len(c.Peers) || at%2 != 0 {
		return errLinks
	}
	l.count = at / 2
	l.places, l.unused = make([]linkPlace, len(c.Ends)/2), slices.Clone(c.Unused)
	ended := 0
	for tag := range l.places {
		p := linkPlace{c.Ends[2*tag], c.Ends[2*tag+1]}
		if p.id == noLink {
			ended++
		} else if uint(p.id) >= uint(len(c.Degrees)) {
			return errLinks
		} else {
			p.id += first
		}
		l.places[tag] = p
	}
	seen := make([]bool, len(l.places))
	for _, tag := range l.unused {
		if uint(tag) >= uint(len(seen)) || seen[tag] || l.places[tag].id != noLink {
			return errLinks
		}
		seen[tag] = true
	}
	if l.tags != nil && (ended != len(l.unused) || ended+l.count != len(l.places)) {
		return errLinks
	}
	return l.Check()
}

// WeightColumns are Weights as columns.
type WeightColumns struct {
	Rows  []uint32  // three numbers by individual, from the first on: first, n and left
	Sums  []float64 // two numbers: total and live
	Slots []uint32  // three numbers each: link, keep and alias
	Links []uint32  // the bits of float32
}

// Columns returns the weights of the ids from first on.
func (w *Weights) Columns(first uint32) WeightColumns {
	var c WeightColumns
	for _, r := range w.rows[first:] {
		c.Rows, c.Sums = append(c.Rows, r.first, r.n, r.left), append(c.Sums, r.total, r.live)
	}
	for _, s := range w.slots {
		c.Slots = append(c.Slots, s.link, s.keep, s.alias)
	}
	for _, x := range w.links {
		c.Links = append(c.Links, math.Float32bits(x))
	}
	return c
}

// WeightsFrom returns the weights of links that have their columns, of ids from first on. It is an
// error if they do not belong together.
func WeightsFrom(c WeightColumns, l *Links, first uint32) (*Weights, error) {
	n := len(c.Rows) / 3
	if len(c.Rows) != 3*n || len(c.Sums) != 2*n || len(c.Slots)%3 != 0 || int(first)+n > len(l.rows) {
		return nil, errors.New("the columns of weights do not belong together")
	}
	w := &Weights{
		rows:  make([]weightRow, int(first)+n),
		slots: make([]weightSlot, len(c.Slots)/3),
		links: make([]float32, len(c.Links)),
	}
	for i := range w.slots {
		w.slots[i] = weightSlot{c.Slots[3*i], c.Slots[3*i+1], c.Slots[3*i+2]}
		if uint(w.slots[i].link) >= uint(len(w.links)) {
			return nil, fmt.Errorf("a slot is of no link")
		}
	}
	for tag := range w.links {
		x := math.Float32frombits(c.Links[tag])
		if w.links[tag] = x; !(x >= 0 && !math.IsInf(float64(x), 0)) && x != -1 {
			return nil, fmt.Errorf("a weight is %v", x)
		}
		if x < 0 {
			continue
		}
		// Its individuals have a table.
		if tag >= len(l.places) || l.places[tag].id == noLink {
			return nil, fmt.Errorf("link %d has a weight, and has ended", tag)
		}
		id, k, _ := l.Find(uint32(tag))
		if uint(max(id, l.Peer(id, k))) >= uint(len(w.rows)) {
			return nil, fmt.Errorf("link %d has a weight, and none at an end", tag)
		}
	}
	from := uint32(0)
	for i := range n {
		id := first + uint32(i)
		r := weightRow{c.Rows[3*i], c.Rows[3*i+1], c.Rows[3*i+2], c.Sums[2*i], c.Sums[2*i+1]}
		if w.rows[id] = r; r.first < from || uint64(r.first)+uint64(r.n) > uint64(len(w.slots)) || !(r.total >= 0) ||
			!(math.Abs(r.live) <= 2*r.total) || math.IsInf(r.total, 0) {
			return nil, fmt.Errorf("the table of id %d is not one", id)
		}
		from = r.first + r.n
		for _, s := range w.slots[r.first:from] {
			if w.links[s.link] < 0 {
				continue
			}
			if end, k, _ := l.Find(s.link); end != id && l.Peer(end, k) != id {
				return nil, fmt.Errorf("the table of id %d has the link of others", id)
			}
		}
	}
	return w, w.Check()
}
