package syntax

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

	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// A Reader takes a YAML document apart and remembers what is wrong with it.
type Reader struct {
	*diag.List
	file          string
	distributions map[*yaml.Node]*Distribution // distributions that have been read
	// How many entries of mappings and lists have been read, and may be. With aliases a few lines can stand for billions.
	nodesRead, Most int
	// Distributions can stand in one another; depth is how many do.
	depth int
	// What was asked for in place of what the file says, and which flag the nodes are from that were put into it.
	Asked     Changes
	Elsewhere map[*yaml.Node]string
	// The names of the parameters that the file defines, and the date at which its clock is 0, if it has one.
	Defined map[string]bool
	Zero    Epoch
	Tables  *TableFiles
}

func NewReader(list *diag.List, file string) *Reader {
	return &Reader{List: list, file: file, distributions: map[*yaml.Node]*Distribution{}, Defined: map[string]bool{}}
}

// Like returns a reader for something else of the same model.
func (r *Reader) Like(file string) *Reader {
	other := NewReader(r.List, file)
	other.Defined, other.Zero, other.Tables = r.Defined, r.Zero, r.Tables
	return other
}

func (r *Reader) Place(n *yaml.Node) diag.Place {
	if flag, ok := r.Elsewhere[n]; ok {
		return diag.Place{File: flag}
	}
	return diag.Place{File: r.file, Line: n.Line, Column: n.Column}
}

func (r *Reader) Fail(n *yaml.Node, format string, args ...any) { r.Add(r.Place(n), format, args...) }

// Document is the file's one document, or nil if there is none.
func (r *Reader) Document(source []byte) *yaml.Node {
	d := yaml.NewDecoder(strings.NewReader(string(source)))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.Add(diag.Place{File: r.file, Line: 1, Column: 1}, "the file is empty; a model is expected: name, time, population, states")
		return nil
	case err != nil:
		r.reportYAMLError(source, err)
		return nil
	}
	switch err := d.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.reportYAMLError(source, err)
	case strings.HasPrefix(r.file, "--"):
		r.Fail(&more, "a second document begins; expected one value")
	default:
		r.Fail(&more, "a second document begins; a file holds one model")
	}
	r.Most = SpareEntries + 4*Entries(&doc)
	return doc.Content[0]
}

// SpareEntries is how many entries a file may have by aliases, beside four times those it has as it is written: an entry can be looked
// at more than once.
const SpareEntries = 250_000

// Entries counts all that a node holds, as it is written: what an alias stands for is not counted again.
func Entries(n *yaml.Node) int {
	sum := len(n.Content)
	for _, c := range n.Content {
		sum += Entries(c)
	}
	return sum
}

// openCollection tells whether a node has entries that may be read, and counts them. One that is not of the kind is refused, unless it is nothing at all.
func (r *Reader) openCollection(n *yaml.Node, kind yaml.Kind, what, expected string) bool {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return false
	case n.Kind != kind:
		r.Fail(n, "%s: found %s, expected %s", what, Found(n), expected)
		return false
	}
	if r.nodesRead += len(n.Content); r.nodesRead <= r.Most {
		return true
	}
	r.Fail(n, "%s: with all its aliases the file has more than %d entries; write it with fewer", what, r.Most)
	r.Stopped = true
	return false
}

var (
	yamlErrorPattern     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`) })
	unknownAnchorPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`unknown anchor '(.*)' referenced`) })
)

// reportYAMLError reports what the YAML library says, with the place that it names, or one that is found without it.
func (r *Reader) reportYAMLError(source []byte, err error) {
	m := yamlErrorPattern().FindStringSubmatch(err.Error())
	if m == nil {
		r.Add(diag.Place{File: r.file, Line: 1, Column: 1}, "this is not YAML: %v", err)
		return
	}
	at := diag.Place{File: r.file, Line: 1, Column: 1}
	if m[1] != "" {
		at.Line, _ = strconv.Atoi(m[1])
		if strings.HasPrefix(m[2], "did not find expected") {
			at.Line++ // the library's parser, unlike its scanner, counts lines from 0
		}
	} else if i := errorOffset(source, m[2]); i >= 0 {
		before := source[:i]
		at.Line = 1 + bytes.Count(before, []byte{'\n'})
		at.Column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	}
	if tab := findIndentingTab(source, at.Line); tab.Line > 0 {
		tab.File = r.file
		r.Add(tab, "a tab cannot indent YAML; use spaces")
		return
	}
	r.Add(at, "this is not YAML: %s", diag.Cut(m[2], diag.LongestName))
}

// findIndentingTab finds a tab among what a line begins with, in one that the library has complained about or beside it: it may have read
// on before it noticed. The line is 0 if there is none.
func findIndentingTab(source []byte, line int) diag.Place {
	lines := bytes.Split(source, []byte{'\n'})
	for _, k := range []int{line, line - 1, line + 1} {
		if k < 1 || k > len(lines) {
			continue
		}
		text := lines[k-1]
		if i := bytes.IndexByte(text, '\t'); i >= 0 && len(bytes.TrimLeft(text[:i], " -")) == 0 && len(bytes.TrimSpace(text)) > 0 {
			return diag.Place{Line: k, Column: i + 1}
		}
	}
	return diag.Place{}
}

// errorOffset finds what a message without a line is about.
func errorOffset(source []byte, message string) int {
	if m := unknownAnchorPattern().FindStringSubmatch(message); m != nil {
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

// Resolve follows aliases.
func (r *Reader) Resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// Found describes a node for a message.
func Found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return "nothing"
	}
	return diag.Quote(n.Value)
}

// HasKey tells whether a mapping has a key.
func HasKey(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// Entry is the value of a key of a mapping, with aliases followed, or nil.
func (r *Reader) Entry(n *yaml.Node, key string) *yaml.Node {
	if n = r.EntryNode(n, key); n != nil {
		n = r.Resolve(n)
	}
	return n
}

// EntryNode is the value of a key of a mapping, as it stands, or nil.
func (r *Reader) EntryNode(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if r.Resolve(n.Content[i]).Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// A Pair is an entry of a mapping.
type Pair struct {
	Name  string
	Key   *yaml.Node
	Value *yaml.Node
}

// Pairs are the entries of a mapping with names of the writer's choice. Something else is refused; nothing at all stands
// for an empty mapping.
func (r *Reader) Pairs(n *yaml.Node, what, like string) []Pair {
	if n = r.Resolve(n); !r.openCollection(n, yaml.MappingNode, what, "a mapping such as "+like) {
		return nil
	}
	var all []Pair
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := r.Resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			r.Fail(key, "%s: found %s as a key, expected a name", what, Found(key))
			continue
		}
		if line, twice := seen[key.Value]; twice {
			r.Fail(key, "%s: %s is here twice, first in line %d", what, diag.Quote(key.Value), line)
			continue
		}
		seen[key.Value] = key.Line
		all = append(all, Pair{key.Value, key, r.Resolve(n.Content[i+1])})
	}
	return all
}

// Fields are the entries of a mapping whose keys are ours.
type Fields struct {
	r     *Reader
	what  string
	Node  *yaml.Node
	pairs map[string]Pair
	Meant map[string]bool // keys that others were probably meant to be
}

// Fields reads a mapping of which the keys are known. It is nil if there is none.
func (r *Reader) Fields(n *yaml.Node, what, like string, keys ...string) *Fields {
	n = r.Resolve(n)
	if n.Kind != yaml.MappingNode {
		r.Fail(n, "%s: found %s, expected a mapping such as %s", what, Found(n), like)
		return nil
	}
	f := &Fields{r, what, n, map[string]Pair{}, map[string]bool{}}
	for _, p := range r.Pairs(n, what, like) {
		f.pairs[p.Name] = p
		if strings.Count(p.Name, ")") > strings.Count(p.Name, "(") {
			r.Fail(p.Key, "%s: there is no key %s; if it is the rest of a value, put the whole of it in quotes, as in chance: \"min(a, b)\"", what, diag.Quote(p.Name))
		} else if !r.Known(p.Key, what, "key", p.Name, keys) {
			f.Meant[nearest.Name(p.Name, keys)] = true
		}
	}
	return f
}

// Known refuses a name that is not among those there are.
func (r *Reader) Known(n *yaml.Node, what, sort, name string, names []string) bool {
	if slices.Contains(names, name) {
		return true
	}
	r.Fail(n, "%s: %s", what, diag.Unknown(sort, name, func() []string { return names }))
	return false
}

// Get is the value of a key, or nil.
func (f *Fields) Get(key string) *yaml.Node {
	if p, ok := f.pairs[key]; ok {
		return p.Value
	}
	return nil
}

// Need is the value of a key that must be there, or nil.
func (f *Fields) Need(key, like string) *yaml.Node {
	n := f.Get(key)
	if n == nil && !f.Meant[key] {
		f.r.Fail(f.Node, "%s: %q is missing; write %s: %s, for example", f.what, key, key, like)
	}
	return n
}

// Value reads the value of a key; one that is not given if there is no such key.
func (f *Fields) Value(key string, want Kind) (v Value) {
	if n := f.Get(key); n != nil {
		v = f.r.Value(n, f.what+": "+key, want)
	}
	return v
}

// ref reads the name of something; one that is not given if there is no such key.
func (f *Fields) ref(key string) (name Ref) {
	if n := f.Get(key); n != nil {
		name = f.r.Named(n, f.what+": "+key)
	}
	return name
}

// freeName reads the name that something goes by, of the writer's choice; "" if it has none.
func (f *Fields) name() string {
	if n := f.Get("name"); n != nil {
		return f.r.freeName(n, f.what+": name")
	}
	return ""
}

// Items is the items of a list.
func (r *Reader) Items(n *yaml.Node, what, like string) []*yaml.Node {
	if n = r.Resolve(n); !r.openCollection(n, yaml.SequenceNode, what, "a list such as "+like) {
		return nil
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = r.Resolve(item)
	}
	return items
}

// oneOrMore is the items of a list, or the one thing that stands in its place.
func (r *Reader) oneOrMore(n *yaml.Node, what, like string) []*yaml.Node {
	n = r.Resolve(n)
	if n.Kind == yaml.SequenceNode || n.Tag == "!!null" {
		return r.Items(n, what, like)
	}
	return []*yaml.Node{n}
}

// text is a scalar as it is written.
func (r *Reader) text(n *yaml.Node, what, like string) (string, bool) {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		r.Fail(n, "%s: found %s, expected %s", what, Found(n), like)
		return "", false
	}
	return text, true
}

// wholeNumber is a whole number that is not negative.
func (r *Reader) wholeNumber(n *yaml.Node, what string, most float64) (int, bool) {
	text, ok := r.text(n, what, "a whole number")
	if !ok {
		return 0, false
	}
	x, ok := ParseNumber(text)
	if !ok || x != float64(int64(x)) || !(x >= 0 && x <= most) {
		r.Fail(n, "%s: found %s, expected a whole number from 0 to %.0f", what, diag.Quote(text), most)
		return 0, false
	}
	return int(x), true
}

// A name that refers to something, and where it stands.
type Ref struct {
	Name string
	At   diag.Place
	Bad  bool // it could not be read, and that has been said
}

// Given tells whether there is one at all.
func (n Ref) Given() bool { return n.At != diag.Place{} }

// Named is the name of something, and where it stands.
func (r *Reader) Named(n *yaml.Node, what string) Ref {
	text, ok := r.text(n, what, "a name")
	return Ref{text, r.Place(n), !ok}
}

// refs is one name or a list of them.
func (r *Reader) refs(f *Fields, key string) []Ref {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	var all []Ref
	for _, item := range r.oneOrMore(n, f.what+": "+key, "[latent, infectious]") {
		all = append(all, r.Named(item, f.what+": "+key))
	}
	if n.Kind == yaml.SequenceNode && len(all) == 0 {
		r.Fail(n, "%s: %s: expected at least one state, such as [latent, infectious]", f.what, key)
		all = append(all, Ref{At: r.Place(n), Bad: true})
	}
	return all
}

// freeName is the name that something goes by, of the writer's choice.
func (r *Reader) freeName(n *yaml.Node, what string) string {
	text, ok := r.text(n, what, "a name")
	if ok && diag.TooLong(text) {
		r.Fail(n, "%s: %s is too long for a name; expected at most %d letters", what, diag.Quote(text), diag.LongestName)
		return ""
	}
	return text
}

var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_](?:[\pL\pN_ .'+-]*[\pL\pN_.'+-])?$`) })

// checkName refuses names that cannot be told from something else where they are used.
func (r *Reader) checkName(n *yaml.Node, what, name string) bool {
	reserved := map[string]string{
		Out: "it means leaving the population", "rest": "it means those who are left over", "everyone": "it means all states",
		ByBirth: "it means being born", ByImmigration: "it means coming from elsewhere",
		ByIntervention: "it means being let in by an intervention",
	}
	if why, ok := reserved[name]; ok {
		r.Fail(n, "%s: %q cannot be a name: %s", what, name, why)
		return false
	}
	if diag.TooLong(name) {
		r.Fail(n, "%s: %s is too long for a name; expected at most %d letters", what, diag.Quote(name), diag.LongestName)
		return false
	}
	if !namePattern().MatchString(name) || strings.Contains(name, "->") {
		r.Fail(n, "%s: %s cannot be a name; expected letters, digits and _, beginning with a letter", what, diag.Quote(name))
		return false
	}
	return true
}
