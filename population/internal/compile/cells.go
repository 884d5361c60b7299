package compile

import (
	"reflect"

	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// attributesOf returns the attributes that conditions and values depend on, ascending.
func attributesOf(here eval.Scope, where []program.Condition, values ...syntax.Value) []int {
	var all []int
	for i := range where {
		all = eval.Union(all, []int{where[i].Attribute})
	}
	for _, v := range values {
		all = eval.Union(all, here.Dependence(v).Own)
	}
	return all
}

// holds reports whether conditions hold in a cell.
func holds(where []program.Condition, cell []uint16) bool {
	for i := range where {
		if !where[i].Is[cell[where[i].Attribute]] {
			return false
		}
	}
	return true
}

// cellsOf numbers the cells by some attributes and returns how many there are. The last attribute
// is the least significant digit. It reports false if the tables would have too many entries, with
// the given number of entries per cell.
func (c *compiler) cellsOf(attributes []int, each int) ([]program.CellAttribute, int, bool) {
	n := 1
	by := make([]program.CellAttribute, len(attributes))
	for i := len(attributes) - 1; i >= 0; i-- {
		by[i] = program.CellAttribute{Attribute: attributes[i], Stride: n}
		n = cellProduct(n, max(1, len(c.program.Attributes[attributes[i]].Values)))
	}
	return by, n, c.reserveEntries(cellProduct(n, each))
}

// cellProduct returns min(a·b, maxCells): the product may not fit an int of 32 bits.
func cellProduct(a, b int) int { return int(min(int64(a)*int64(b), maxCells)) }

// maxCells is above the limit of table entries, and so small that sums with it fit an int of 32
// bits.
const maxCells = 1 << 30

// cell returns cell number k for a scope: a value for each attribute, unset for those it does not
// depend on.
func (c *compiler) cell(by []program.CellAttribute, k int) []uint16 {
	cell := make([]uint16, len(c.program.Attributes))
	for a := range cell {
		cell[a] = eval.Unset
	}
	for _, b := range by {
		cell[b.Attribute] = uint16(k / b.Stride)
		k %= b.Stride
	}
	return cell
}

// eachCell evaluates work in the scope of each cell by the attributes that some values depend on.
func eachCell[T any](
	c *compiler, here eval.Scope, values []syntax.Value, work func(here eval.Scope) T,
) *program.ByCell[T] {
	by, n, ok := c.cellsOf(attributesOf(here, nil, values...), 1)
	p := &program.ByCell[T]{By: by}
	if !ok {
		return p
	}
	if len(by) == 0 {
		p.Values = []T{work(here)}
		return p
	}
	for k := range n {
		p.Values = append(p.Values, work(here.ForCell(c.cell(by, k))))
	}
	return p
}

// chances works out a probability: one number for all, or a table by cells of the individual and,
// for a contact, of the individual met.
func (c *compiler) chances(here eval.Scope, v syntax.Value, what string, meets bool) (float64, *program.ChanceTable) {
	d := here.Dependence(v)
	if !meets {
		d.Met = nil // reported where the value is worked out
	}
	if !d.Cells() && !d.Time {
		chance, _ := here.Chance(v, what)
		return chance, nil
	}
	own, n, ok := c.cellsOf(d.Own, 1)
	met, each, fits := c.cellsOf(d.Met, n)
	if !ok || !fits {
		return 0, nil
	}
	o := &program.ChanceTable{Own: own, Met: met, MetCells: each, Values: make([]float64, n*each)}
	if d.Time {
		o.Varying = make([]*program.TimeVarying, n*each)
	}
	for k := range o.Values {
		in := here.ForCell(c.cell(own, k/each))
		if meets {
			in = in.Meeting(c.cell(met, k%each))
		}
		if d.Time {
			o.Varying[k], o.Values[k] = c.timeVarying(in, v, what, quantity.Share)
		} else {
			o.Values[k], _ = in.Chance(v, what)
		}
	}
	return 1, o
}

// A timeVaryingShape is a hash key: equal time-varying values have the same.
type timeVaryingShape struct {
	most   float64
	pieces int
	sum    float64
}

// timeVarying evaluates a rate or a probability that may vary. If it turns out to be constant, the
// result is nil and the constant.
func (c *compiler) timeVarying(
	here eval.Scope, v syntax.Value, what string, want quantity.Kind,
) (*program.TimeVarying, float64) {
	got, ok := here.TimeVarying(v, what, want)
	if !ok {
		return nil, 0
	}
	if x, constant := got.Constant(); constant {
		if got.ByCounts && x > got.Max {
			here.ReportTogether(v.At, []syntax.Value{v},
				"%s: the value is always %.6g per %s, above its most, %.6g per %s", what, x, here.Unit.Name, got.Max,
				here.Unit.Name)
		}
		return nil, max(0, x)
	}
	// Equal values are stored once for all states, cells and phases.
	key := timeVaryingShape{got.Max, len(got.Bounds), 0}
	for i, b := range got.Bounds {
		key.sum += float64(b * float64(i+1))
	}
	for _, known := range c.timeVaryings[key] {
		if reflect.DeepEqual(known, got) {
			return known, 0
		}
	}
	if !c.reserveEntries(1 + len(got.Bounds)/4) {
		return nil, 0
	}
	c.timeVaryings[key] = append(c.timeVaryings[key], got)
	c.program.UsesCounts = c.program.UsesCounts || got.ByCounts
	if got.Maxes != nil {
		c.program.Sizes = here.Sizes
	}
	return got, 0
}
