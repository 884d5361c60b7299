package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// checkedBlock is how many individuals are checked at a time.
const checkedBlock = 1 << 16

// eachBlock calls do with all ids in use, in blocks of consecutive ones, on the cores that are
// free. do returns what is wrong with the individuals of a block, or "". Blocks begin in order, so
// that the first of those in which something is wrong is the one that is told, whatever the number
// of cores.
func (in *loader) eachBlock(r *Run, do func(from, to uint32) (wrong string)) {
	if in.err != nil {
		return
	}
	blocks := (r.Used - int(r.firstID) + checkedBlock - 1) / checkedBlock
	wrong := make([]string, blocks)
	var next atomic.Int64
	var failed atomic.Bool
	work := func() {
		for !failed.Load() && in.ctx.Err() == nil {
			k := int(next.Add(1)) - 1
			if k >= blocks {
				return
			}
			from := int(r.firstID) + k*checkedBlock
			if wrong[k] = do(uint32(from), uint32(min(from+checkedBlock, r.Used))); wrong[k] != "" {
				failed.Store(true)
			}
		}
	}
	cores, done := r.borrowCores()
	defer done()
	var group sync.WaitGroup
	for range min(cores, blocks) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	if k := slices.IndexFunc(wrong, func(text string) bool { return text != "" }); k >= 0 {
		in.bad("%s", wrong[k])
	} else {
		in.err = in.ctx.Err()
	}
}

// eachLiving is eachBlock for those who are there, one at a time.
func (in *loader) eachLiving(r *Run, do func(id uint32) (wrong string)) {
	in.eachBlock(r, func(from, to uint32) string {
		for id := from; id < to; id++ {
			if r.status(id).state == program.NoState {
				continue
			}
			if wrong := do(id); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}
