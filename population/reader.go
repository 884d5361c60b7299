package population

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/almanac-sim/almanac/internal/nearest"
)

// A reader takes a YAML document apart and remembers what is wrong with it.
type reader struct {
	*problemList
	file string
	laws map[*yaml.Node]*lawValue // distributions that have been read
	// How many entries of mappings and lists have been read, and may be. With aliases a few lines can stand for billions.
	read, most int
	// Distributions can stand in one another; depth is how many do.
	depth int
	// What was asked for in place of what the file says, and which flag the nodes are from that were put into it.
	asked     changes
	elsewhere map[*yaml.Node]string
	// The names of the parameters that the file defines, and the date at which its clock is 0, if it has one.
	defined map[string]bool
	zero    calendarZero
	tables  *tableFiles
}

func newReader(list *problemList, file string) *reader {
	return &reader{problemList: list, file: file, laws: map[*yaml.Node]*lawValue{}, defined: map[string]bool{}}
}

// like returns a reader for something else of the same model.
func (r *reader) like(file string) *reader {
	other := newReader(r.problemList, file)
	other.defined, other.zero, other.tables = r.defined, r.zero, r.tables
	return other
}

// document is the file's one document, or nil if there is none.
func (r *reader) document(source []byte) *yaml.Node {
	d := yaml.NewDecoder(strings.NewReader(string(source)))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.add(place{r.file, 1, 1}, "the file is empty; a model is expected: name, time, population, states")
		return nil
	case err != nil:
		r.syntax(source, err)
		return nil
	}
	switch err := d.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.syntax(source, err)
	case strings.HasPrefix(r.file, "--"):
		r.fail(&more, "a second document begins; expected one value")
	default:
		r.fail(&more, "a second document begins; a file holds one model")
	}
	r.most = spareEntries + 4*entries(&doc)
	return doc.Content[0]
}

// spareEntries is how many entries a file may have by aliases, beside four times those it has as it is written: an entry can be looked
// at more than once.
const spareEntries = 250_000

// entries counts all that a node holds, as it is written: what an alias stands for is not counted again.
func entries(n *yaml.Node) int {
	sum := len(n.Content)
	for _, c := range n.Content {
		sum += entries(c)
	}
	return sum
}

// holds tells whether a node has entries that may be read, and counts them. One that is not of the kind is refused, unless it is nothing at all.
func (r *reader) holds(n *yaml.Node, kind yaml.Kind, what, expected string) bool {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return false
	case n.Kind != kind:
		r.fail(n, "%s: found %s, expected %s", what, found(n), expected)
		return false
	}
	if r.read += len(n.Content); r.read <= r.most {
		return true
	}
	r.fail(n, "%s: with all its aliases the file has more than %d entries; write it with fewer", what, r.most)
	r.stopped = true
	return false
}

var (
	syntaxError   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`) })
	unknownAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`unknown anchor '(.*)' referenced`) })
)

// syntax reports what the YAML library says, with the place that it names, or one that is found without it.
func (r *reader) syntax(source []byte, err error) {
	m := syntaxError().FindStringSubmatch(err.Error())
	if m == nil {
		r.add(place{r.file, 1, 1}, "this is not YAML: %v", err)
		return
	}
	at := place{r.file, 1, 1}
	if m[1] != "" {
		at.line, _ = strconv.Atoi(m[1])
		if strings.HasPrefix(m[2], "did not find expected") {
			at.line++ // the library's parser, unlike its scanner, counts lines from 0
		}
	} else if i := offender(source, m[2]); i >= 0 {
		before := source[:i]
		at.line = 1 + bytes.Count(before, []byte{'\n'})
		at.column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	}
	if tab := indentedByTab(source, at.line); tab.line > 0 {
		tab.file = r.file
		r.add(tab, "a tab cannot indent YAML; use spaces")
		return
	}
	r.add(at, "this is not YAML: %s", cut(m[2], longestName))
}

// indentedByTab finds a tab among what a line begins with, in one that the library has complained about or beside it: it may have read
// on before it noticed. The line is 0 if there is none.
func indentedByTab(source []byte, line int) place {
	lines := bytes.Split(source, []byte{'\n'})
	for _, k := range []int{line, line - 1, line + 1} {
		if k < 1 || k > len(lines) {
			continue
		}
		text := lines[k-1]
		if i := bytes.IndexByte(text, '\t'); i >= 0 && len(bytes.TrimLeft(text[:i], " -")) == 0 && len(bytes.TrimSpace(text)) > 0 {
			return place{line: k, column: i + 1}
		}
	}
	return place{}
}

// offender finds what a message without a line is about.
func offender(source []byte, message string) int {
	if m := unknownAnchor().FindStringSubmatch(message); m != nil {
		return bytes.Index(source, []byte("*"+m[1]))
	}
	for i := 0; i < len(source); {
		c, n := utf8.DecodeRune(source[i:])
		if c == utf8.RuneError && n == 1 || c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return i
		}
		i += n
	}
	return -1
}

func (r *reader) place(n *yaml.Node) place {
	if flag, ok := r.elsewhere[n]; ok {
		return place{file: flag}
	}
	return place{r.file, n.Line, n.Column}
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) { r.add(r.place(n), format, args...) }

// resolve follows aliases.
func (r *reader) resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// found describes a node for a message.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return "nothing"
	}
	return quote(n.Value)
}

// A pair is an entry of a mapping.
type pair struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

// pairs are the entries of a mapping with names of the writer's choice. Something else is refused; nothing at all stands
// for an empty mapping.
func (r *reader) pairs(n *yaml.Node, what, like string) []pair {
	if n = r.resolve(n); !r.holds(n, yaml.MappingNode, what, "a mapping such as "+like) {
		return nil
	}
	var all []pair
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := r.resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			r.fail(key, "%s: found %s as a key, expected a name", what, found(key))
			continue
		}
		if line, twice := seen[key.Value]; twice {
			r.fail(key, "%s: %s is here twice, first in line %d", what, quote(key.Value), line)
			continue
		}
		seen[key.Value] = key.Line
		all = append(all, pair{key.Value, key, r.resolve(n.Content[i+1])})
	}
	return all
}

// fields are the entries of a mapping whose keys are ours.
type fields struct {
	r     *reader
	what  string
	node  *yaml.Node
	by    map[string]pair
	meant map[string]bool // keys that others were probably meant to be
}

// fields reads a mapping of which the keys are known. It is nil if there is none.
func (r *reader) fields(n *yaml.Node, what, like string, keys ...string) *fields {
	n = r.resolve(n)
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s: found %s, expected a mapping such as %s", what, found(n), like)
		return nil
	}
	f := &fields{r, what, n, map[string]pair{}, map[string]bool{}}
	for _, p := range r.pairs(n, what, like) {
		f.by[p.name] = p
		if strings.Count(p.name, ")") > strings.Count(p.name, "(") {
			r.fail(p.key, "%s: there is no key %s; if it is the rest of a value, put the whole of it in quotes, as in chance: \"min(a, b)\"", what, quote(p.name))
		} else if !r.known(p.key, what, "key", p.name, keys) {
			f.meant[nearest.Name(p.name, keys)] = true
		}
	}
	return f
}

// known refuses a name that is not among those there are.
func (r *reader) known(n *yaml.Node, what, sort, name string, names []string) bool {
	if slices.Contains(names, name) {
		return true
	}
	r.fail(n, "%s: %s", what, unknown(sort, name, func() []string { return names }))
	return false
}

// get is the value of a key, or nil.
func (f *fields) get(key string) *yaml.Node {
	if p, ok := f.by[key]; ok {
		return p.value
	}
	return nil
}

// need is the value of a key that must be there, or nil.
func (f *fields) need(key, like string) *yaml.Node {
	n := f.get(key)
	if n == nil && !f.meant[key] {
		f.r.fail(f.node, "%s: %q is missing; write %s: %s, for example", f.what, key, key, like)
	}
	return n
}

// value reads the value of a key; one that is not given if there is no such key.
func (f *fields) value(key string, want kind) (v value) {
	if n := f.get(key); n != nil {
		v = f.r.value(n, f.what+": "+key, want)
	}
	return v
}

// named reads the name of something; one that is not given if there is no such key.
func (f *fields) named(key string) (name named) {
	if n := f.get(key); n != nil {
		name = f.r.named(n, f.what+": "+key)
	}
	return name
}

// label reads the name that something goes by, of the writer's choice; "" if it has none.
func (f *fields) label() string {
	if n := f.get("name"); n != nil {
		return f.r.label(n, f.what+": name")
	}
	return ""
}

// list is the items of a list.
func (r *reader) list(n *yaml.Node, what, like string) []*yaml.Node {
	if n = r.resolve(n); !r.holds(n, yaml.SequenceNode, what, "a list such as "+like) {
		return nil
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = r.resolve(item)
	}
	return items
}

// oneOrMore is the items of a list, or the one thing that stands in its place.
func (r *reader) oneOrMore(n *yaml.Node, what, like string) []*yaml.Node {
	n = r.resolve(n)
	if n.Kind == yaml.SequenceNode || n.Tag == "!!null" {
		return r.list(n, what, like)
	}
	return []*yaml.Node{n}
}

// text is a scalar as it is written.
func (r *reader) text(n *yaml.Node, what, like string) (string, bool) {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		r.fail(n, "%s: found %s, expected %s", what, found(n), like)
		return "", false
	}
	return text, true
}

// label is the name that something goes by, of the writer's choice.
func (r *reader) label(n *yaml.Node, what string) string {
	text, ok := r.text(n, what, "a name")
	if ok && tooLong(text) {
		r.fail(n, "%s: %s is too long for a name; expected at most %d letters", what, quote(text), longestName)
		return ""
	}
	return text
}

// whole is a whole number that is not negative.
func (r *reader) whole(n *yaml.Node, what string, most float64) (int, bool) {
	text, ok := r.text(n, what, "a whole number")
	if !ok {
		return 0, false
	}
	x, ok := parseNumber(text)
	if !ok || x != float64(int64(x)) || !(x >= 0 && x <= most) {
		r.fail(n, "%s: found %s, expected a whole number from 0 to %.0f", what, quote(text), most)
		return 0, false
	}
	return int(x), true
}
