package slots_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/dispatch/slots"
)

// A printer has two slots.
type printer struct {
	name string
	bin  slots.Bin[printer]
	load int
}

// Four jobs for two printers with three free slots: idle printers first, and the oldest job that
// waits gets the slot
// that becomes free.
func Example() {
	const capacity = 2
	random := rand.New(rand.NewPCG(1, 2))
	var printers slots.Bins[printer]
	var waiting slots.Queue[string]
	add := func(p *printer, load int) {
		p.load += load
		printers.Put(&p.bin, slots.ClassOf(p.load, capacity))
	}
	left, right := &printer{name: "left", load: 1}, &printer{name: "right"}
	for _, p := range []*printer{left, right} {
		p.bin.Of = p
		add(p, 0)
	}
	for seq, job := range []string{"a", "b", "c", "d"} {
		it := &slots.Item[string]{Value: job, Seq: uint64(seq)}
		if bin := printers.Pick(random, nil); bin != nil {
			add(bin.Of, 1)
			continue
		}
		waiting.Push(it)
	}
	fmt.Println(left.load, right.load, waiting.Len)

	add(left, -1)
	it := waiting.Head
	waiting.Remove(it)
	bin := printers.Pick(random, nil)
	add(bin.Of, 1)
	fmt.Println(it.Value, bin.Of.name, waiting.Len)
	// Output:
	// 2 2 1
	// d left 0
}
