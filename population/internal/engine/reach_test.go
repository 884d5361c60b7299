//go:build !race

package engine

import (
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"unsafe"
)

// A walker visits everything that is reachable from a value, by reflection, unexported fields too. The
// path of a field that is embedded is that of the struct.
type walker struct {
	// block is called for memory behind a pointer, a slice up to its capacity, or a map; what it
	// returns says whether to go on there.
	block func(path string, at unsafe.Pointer, size uintptr) bool
	// leaf is called for numbers, bools, strings and maps, of the elements of slices that pick returns.
	// If it is nil, only what leads to memory is visited.
	leaf func(path string, v reflect.Value)
	pick func(path string, length int) []int
	seen map[visited]bool
}

type visited struct {
	at   unsafe.Pointer
	size uintptr
	of   reflect.Type
}

func (w *walker) visit(path string, v reflect.Value) {
	t := v.Type()
	if w.leaf == nil && !leads(t) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && w.enters(path, v.UnsafePointer(), t.Elem().Size(), t) {
			w.visit(path, v.Elem())
		}
	case reflect.Slice:
		if v.Cap() == 0 || !w.enters(path, v.UnsafePointer(), uintptr(v.Cap())*t.Elem().Size(), t) {
			return
		}
		if w.leaf != nil {
			for _, i := range w.pick(path, v.Len()) {
				w.visit(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		} else if leads(t.Elem()) {
			for i, all := 0, v.Slice(0, v.Cap()); i < all.Len(); i++ { // what is behind the length is used again
				w.visit(path+"[]", all.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			w.visit(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			name := path + "." + t.Field(i).Name
			if t.Field(i).Anonymous {
				name = path
			}
			w.visit(name, v.Field(i))
		}
	case reflect.Map:
		if v.IsNil() || !w.enters(path, v.UnsafePointer(), 8, t) {
			return
		}
		if w.leaf != nil {
			w.leaf(path+"{}", v)
			return
		}
		for it := v.MapRange(); it.Next(); {
			w.visit(path+"{}", it.Value())
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.visit(path, v.Elem())
		}
	case reflect.UnsafePointer:
		if p := v.UnsafePointer(); p != nil {
			w.enters(path, p, 1, t)
		}
	case reflect.Func, reflect.Chan:
	default:
		w.leaf(path, v)
	}
}

// enters reports whether to go on in some memory, which has not been visited as one of its type.
func (w *walker) enters(path string, at unsafe.Pointer, size uintptr, t reflect.Type) bool {
	key := visited{at, size, t}
	if size == 0 || w.seen[key] || !w.block(path, at, size) {
		return false
	}
	if w.seen == nil {
		w.seen = map[visited]bool{}
	}
	w.seen[key] = true
	return true
}

// leads reports whether values of a type lead to other memory.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return leads(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if leads(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// A region is memory from one address to before another.
type region struct {
	from, to uintptr
	at       unsafe.Pointer // from
	path     string
}

// regionsOf are all regions that are reachable from a value, ascending, but for those in except.
func regionsOf(v any, except regions) (all regions) {
	w := walker{block: func(path string, at unsafe.Pointer, size uintptr) bool {
		from := uintptr(at)
		if except.has(from) {
			return false
		}
		all = append(all, region{from, from + size, at, path})
		return true
	}}
	w.visit("", reflect.ValueOf(v))
	sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	return all
}

type regions []region

// union joins regions that overlap.
func (all regions) union() (one regions) {
	for _, r := range all {
		if n := len(one); n > 0 && r.from < one[n-1].to {
			one[n-1].to = max(one[n-1].to, r.to)
			continue
		}
		one = append(one, r)
	}
	return one
}

// has reports whether an address is in one of a union.
func (all regions) has(p uintptr) bool {
	k := sort.Search(len(all), func(k int) bool { return all[k].to > p })
	return k < len(all) && all[k].from <= p
}

// shared returns by which paths two values lead to the same memory.
func (all regions) shared(other regions) (paths []string) {
	longest := uintptr(0)
	for _, r := range other {
		longest = max(longest, r.to-r.from)
	}
	for _, r := range all {
		k := sort.Search(len(other), func(k int) bool { return other[k].from+longest > r.from })
		for ; k < len(other) && other[k].from < r.to; k++ {
			if other[k].to > r.from {
				paths = append(paths, r.path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// sum is a hash of the contents.
func (all regions) sum() uint64 {
	h := fnv.New64a()
	for _, r := range all {
		h.Write(unsafe.Slice((*byte)(r.at), r.to-r.from))
	}
	return h.Sum64()
}

var index = regexp.MustCompile(`\[\d+\]`)

// classOf is a path without indices.
func classOf(path string) string { return index.ReplaceAllString(path, "[]") }

// change gives a leaf another value, a time in place of one that is infinite, and returns how to undo
// that; nil if it is an empty map.
func change(leaf reflect.Value, time float64) (undo func()) {
	v := reflect.NewAt(leaf.Type(), unsafe.Pointer(leaf.UnsafeAddr())).Elem() // unexported fields, too
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	switch v.Kind() {
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			key, value := it.Key(), it.Value()
			v.SetMapIndex(key, reflect.Value{})
			return func() { v.SetMapIndex(key, value) }
		}
		return nil
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsInf(x, 0) || math.IsNaN(x) {
			v.SetFloat(time)
		} else {
			v.SetFloat(math.Nextafter(x, math.Inf(1)) + 1e-9)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1)
	default:
		v.SetUint(v.Uint() ^ 1)
	}
	return func() { v.Set(old) }
}

// differing returns the classes of the paths at which two values differ, and how. What program has
// is compared by its address. limit says how many elements of a slice count; −1 for all.
func differing(a, b any, program regions, limit func(class string) int) map[string]string {
	found, seen := map[string]string{}, map[[2]uintptr]bool{}
	note := func(path string, x, y any) { found[classOf(path)] = fmt.Sprintf("%v, %v", x, y) }
	var compare func(path string, a, b reflect.Value)
	compare = func(path string, a, b reflect.Value) {
		switch a.Kind() {
		case reflect.Pointer:
			key := [2]uintptr{a.Pointer(), b.Pointer()}
			switch {
			case a.Pointer() == b.Pointer() || seen[key]:
			case a.IsNil() || b.IsNil() || program.has(a.Pointer()) || program.has(b.Pointer()):
				note(path, a.Pointer(), b.Pointer())
			default:
				seen[key] = true
				compare(path, a.Elem(), b.Elem())
			}
		case reflect.Slice:
			n, most := min(a.Len(), b.Len()), limit(classOf(path))
			if most >= 0 {
				n = min(n, most)
			}
			if (most < 0 || n < most) && a.Len() != b.Len() {
				note(path, a.Len(), b.Len())
			}
			for i := range n {
				compare(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
			}
		case reflect.Array:
			for i := range a.Len() {
				compare(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))
			}
		case reflect.Struct:
			for i := range a.NumField() {
				name := path + "." + a.Type().Field(i).Name
				if a.Type().Field(i).Anonymous {
					name = path
				}
				compare(name, a.Field(i), b.Field(i))
			}
		case reflect.Map:
			if a.Len() != b.Len() {
				note(path, a.Len(), b.Len())
				return
			}
			for it := a.MapRange(); it.Next(); {
				if other := b.MapIndex(it.Key()); other.IsValid() {
					compare(path+"{}", it.Value(), other)
				} else {
					note(path, it.Key(), "no such key")
				}
			}
		case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		case reflect.Float32, reflect.Float64:
			if x, y := a.Float(), b.Float(); math.Float64bits(x) != math.Float64bits(y) {
				note(path, x, y)
			}
		default:
			if !a.Equal(b) {
				note(path, a, b)
			}
		}
	}
	compare("", reflect.ValueOf(a), reflect.ValueOf(b))
	return found
}
