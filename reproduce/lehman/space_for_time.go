package lehman

import (
	"fmt"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// spaceSays is what the paper says.
type spaceSays struct {
	items, slots int
	fold         float64 // the speed-up
	change       float64 // accesses to add or delete, in order and without gaps, at least
}

var paperSpace = spaceSays{items: 10_000, slots: 1_000_000, fold: 5000, change: 10_000}

// measureSpaceForTime checks the claim, with so many items added and deleted.
//
// Looking for each of N items once in a list in any order takes 1 + 2 + … + N = N(N+1)/2 accesses:
// (N+1)/2 = 5000.5 each. In an ordered list without gaps half of the others are moved to make room
// or to close the gap, at two accesses each. To add to N items it is N on average, and one access
// to write the new one; to delete one of N it is N − 1. The binary search before it is counted too,
// so that both are more than N.
func measureSpaceForTime(run *reproduce.Runner, says spaceSays, changes int) reproduce.Finding {
	var f reproduce.Finding
	run.Checkpoint()
	r := random.New(run.Options.Seed, 0x73706163)
	perm := rand.New(&r).Perm(says.slots)
	keys, spare := perm[:says.items], perm[says.items:]
	n := float64(says.items)
	list, direct := searchAll(keys, says.slots)
	sorted := newCompact(keys, says.slots)
	for _, k := range keys {
		sorted.find(k)
	}
	binary := float64(sorted.accesses) / n
	run.Options.ReportProgress(0.3)
	var added, deleted []float64
	for i := range changes {
		if i%256 == 0 {
			run.Checkpoint()
			run.Options.ReportProgress(0.3 + 0.7*float64(i)/float64(changes))
		}
		sorted.accesses = 0
		sorted.add(spare[i])
		added = append(added, float64(sorted.accesses))
		sorted.accesses = 0
		sorted.remove(sorted.keys[r.Below(uint64(len(sorted.keys)))])
		deleted = append(deleted, float64(sorted.accesses))
	}
	add, remove := reproduce.Mean(added), reproduce.Mean(deleted)
	f.Check("accesses to search a list in random order over those to search the table", list/direct, says.fold, 0.5,
		"every key is looked for once, so (N+1)/2 = 5000.5 exactly; printed without the half")
	f.Between("accesses to add to a list in order, in times N", add.Mean/says.change, 1, 2,
		reproduce.Sigmas*add.SE/says.change, "“N or more”; 4.5 standard errors; twice as many would be the whole list")
	f.Between("accesses to delete from a list in order, in times N", remove.Mean/says.change, 1, 2,
		reproduce.Sigmas*remove.SE/says.change, "“N or more”; 4.5 standard errors; twice as many would be the whole list")
	const cell = 100 // bytes an item
	f.Tables = append(f.Tables, reproduce.Table{Name: "Accesses for 10,000 items; memory in bytes at 100 an item",
		Columns: []string{"arrangement (1 random order, 2 in order, 3 slot for each key)", "search", "add", "delete",
			"memory"},
		Rows: [][]float64{{1, list, 1, 3, cell * n}, {2, binary, add.Mean, remove.Mean, cell * n},
			{3, direct, 1, 1, cell * float64(says.slots)}}})
	f.Chart("search", searchChart())
	f.Measured = fmt.Sprintf("Searching a list in random order takes %.1f accesses on average and the table %.0f: %.1f "+
		"fold. Against a list in order (binary search, %.1f accesses) it is %.0f fold; adding to such a list and deleting "+
		"from it take %.0f and %.0f accesses.",
		list, direct, list/direct, binary, binary/direct, add.Mean, remove.Mean)
	f.Notes = append(f.Notes,
		"5,000 fold is the search alone, for keys that are there, against a list in random order. For a key that is not "+
			"there it is 10,000 fold, since the whole list is gone through; adding is one access in either arrangement.",
		fmt.Sprintf("With as many searches as additions and deletions, each deletion with a search before it, the list in "+
			"random order takes %.0f accesses for an operation, and the table 1.", (list+1+list+3)/3),
		fmt.Sprintf("“N or more” to delete is with the search. Closing the gap alone takes 0, 2, … or 2(N−1) "+
			"accesses, N−1 on "+
			"average, and the binary search %.1f: together N + %.1f. What is measured is deleted from N+1 items, after one "+
			"was added.", binary, binary-1),
		"Footnote 3, that adding to a list in random order takes 1 access and deleting 3, is not measured: these numbers of "+
			"the table are the paper's.",
		"The table of a million slots of 100 bytes takes 100 million bytes, as the paper says; 99 in 100 of them are empty.")
	return f
}

// searchAll looks for every key, in a list of them as they come and in a table with a slot for each
// possible key, and returns the accesses for a key.
func searchAll(keys []int, slots int) (list, direct float64) {
	table := make([]int32, slots) // item plus one, or 0
	for i, k := range keys {
		table[k] = int32(i + 1)
	}
	inList, inTable := 0, 0
	for _, k := range keys {
		for _, other := range keys {
			inList++
			if other == k {
				break
			}
		}
		inTable++
		if table[k] == 0 {
			panic("reproduce: a key is missing from its own slot")
		}
	}
	n := float64(len(keys))
	return float64(inList) / n, float64(inTable) / n
}

// A compact keeps keys in order without gaps, and counts accesses.
type compact struct {
	keys     []int
	accesses int
}

func newCompact(keys []int, slots int) *compact {
	there := make([]bool, slots)
	for _, k := range keys {
		there[k] = true
	}
	c := &compact{keys: make([]int, 0, len(keys)+1)}
	for k, yes := range there {
		if yes {
			c.keys = append(c.keys, k)
		}
	}
	return c
}

// find returns the place of a key, or that where it belongs, by binary search with one access a
// step; it ends early if the key is met.
func (c *compact) find(key int) int {
	low, high := 0, len(c.keys)
	for low < high {
		mid := (low + high) / 2
		c.accesses++
		switch {
		case c.keys[mid] == key:
			return mid
		case c.keys[mid] < key:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low
}

// add makes room for a key and puts it there. All items above it are read and written.
func (c *compact) add(key int) {
	i := c.find(key)
	c.accesses += 2*(len(c.keys)-i) + 1
	c.keys = append(c.keys, 0)
	copy(c.keys[i+1:], c.keys[i:])
	c.keys[i] = key
}

// remove takes a key out and closes the gap.
func (c *compact) remove(key int) {
	i := c.find(key)
	c.accesses += 2 * (len(c.keys) - 1 - i)
	c.keys = append(c.keys[:i], c.keys[i+1:]...)
}

// searchChart is how the accesses for a search grow with the number of items.
func searchChart() plot.Chart {
	c := plot.Chart{Title: "Accesses to find one of N items, on average", XLabel: "items", YLabel: "accesses", LogX: true,
		LogY: true, LegendBeside: true,
		Series: []plot.Series{{Name: "random order"}, {Name: "in order"}, {Name: "slot for each key"}}}
	for n := 1; n <= 1_000_000; n *= 10 {
		s := compact{keys: make([]int, n)}
		for i := range s.keys {
			s.keys[i] = i
		}
		step := max(1, n/1000)
		for i := 0; i < n; i += step {
			s.find(i)
		}
		c.Series[0].Add(float64(n), float64(n+1)/2)
		c.Series[1].Add(float64(n), float64(s.accesses)/float64((n+step-1)/step))
		c.Series[2].Add(float64(n), 1)
	}
	return c
}
