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
	"unicode"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// A Reader reads the YAML of one model file, or of one flag, and adds its problems to a list.
//
// Its methods share two arguments. what names the thing that is read and begins every message about
// it, such as "population: start". example is a text that would be right, for the same messages.
type Reader struct {
	*diag.List
	file string // the path of the model file, or a flag: --set beta

	// Aliases let a few lines mean billions of entries of mappings and lists, so the entries are
	// counted as they are read. Reading stops when there are more than Most.
	nodesRead, MaxNodes int

	depth         int                          // values that contain the one being read; at most MaxNesting
	distributions map[*yaml.Node]*Distribution // distributions read so far; see Reader.distribution

	Changes    Changes               // what replaces values of the file
	FlagOf     map[*yaml.Node]string // nodes that come from a flag, and that flag
	Parameters map[string]bool       // the names of the file's parameters
	Numbers    map[string]bool       // the names of attributes that are numbers
	Epoch      quantity.Epoch        // the date at which the file's clock is 0, if any
	Tables     *tablefile.Files
	usesState  *bool           // see File.UsesState
	asked      map[string]bool // see File.Asked

	supplyNames []string // the names of the file's supplies
	hasPlaces   bool     // the file has places, which may be full
	inPairs     bool     // a rate each is being read, whose value may depend on size
	allowMeans  bool     // mean(NUMBER) may stand in expressions: in record: values
	looks       bool     // what is read changes nobody: outcomes, observe and record
}

// NewReader returns a reader whose problems go to a list, under the name of a file.
func NewReader(list *diag.List, file string) *Reader {
	return &Reader{List: list, file: file, distributions: map[*yaml.Node]*Distribution{}, Parameters: map[string]bool{},
		Numbers: map[string]bool{}, usesState: new(bool), asked: map[string]bool{}}
}

// ForFlag returns a reader for another file or flag of the same model.
func (r *Reader) ForFlag(file string) *Reader {
	other := NewReader(r.List, file)
	other.Parameters, other.Epoch, other.Tables, other.usesState = r.Parameters, r.Epoch, r.Tables, r.usesState
	other.asked = r.asked
	other.Numbers = r.Numbers
	return other
}

// Place returns the place of a node.
func (r *Reader) Place(n *yaml.Node) diag.Place {
	if flag, ok := r.FlagOf[n]; ok {
		return diag.Place{File: flag}
	}
	return diag.Place{File: r.file, Line: n.Line, Column: n.Column}
}

// Fail reports a problem at a node.
func (r *Reader) Fail(n *yaml.Node, format string, args ...any) { r.Add(r.Place(n), format, args...) }

// Document parses YAML and returns the root of its only document. It returns nil, and reports why,
// if there is none.
func (r *Reader) Document(source []byte) *yaml.Node {
	d := yaml.NewDecoder(strings.NewReader(string(source)))
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.Add(diag.Place{File: r.file, Line: 1, Column: 1},
			"the file is empty; a model is expected: name, time, population, states")
		return nil
	case err != nil:
		r.reportYAMLError(source, err)
		return nil
	}
	switch err := d.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.reportYAMLError(source, err)
	case strings.HasPrefix(r.file, "--"):
		r.Fail(&second, "a second document begins; expected one value")
	default:
		r.Fail(&second, "a second document begins; a file holds one model")
	}
	r.MaxNodes = AliasAllowance + 4*CountNodes(&doc)
	return doc.Content[0]
}

// AliasAllowance is how many entries a file may have by aliases. Four times the entries as written
// are allowed besides, because an entry can be read more than once.
const AliasAllowance = 250_000

// CountNodes counts the nodes below a node as written: it does not follow aliases.
func CountNodes(n *yaml.Node) int {
	sum := len(n.Content)
	for _, c := range n.Content {
		sum += CountNodes(c)
	}
	return sum
}

// openCollection reports whether n is a mapping or a list, as kind says, whose entries may be read,
// and counts them. A null stands for an empty collection and is no problem.
func (r *Reader) openCollection(n *yaml.Node, kind yaml.Kind, what, expected string) bool {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return false
	case n.Kind != kind:
		r.Fail(n, "%s: found %s, expected %s", what, Describe(n), expected)
		return false
	}
	if r.nodesRead += len(n.Content); r.nodesRead <= r.MaxNodes {
		return true
	}
	r.Fail(n, "%s: with all its aliases the file has more than %d entries; write it with fewer", what, r.MaxNodes)
	r.Stopped = true
	return false
}

var (
	yamlErrorPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)
	})
	unknownAnchorPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`unknown anchor '(.*)' referenced`)
	})
)

// reportYAMLError reports an error of the YAML library, at the line that it names, or at the place
// that errorOffset finds.
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
	r.Add(at, "this is not YAML: %s", diag.Truncate(m[2], diag.MaxNameRunes))
}

// findIndentingTab returns the place of a tab in the indentation of a line or of the lines beside
// it: the library may report a tab one line late. The place's line is 0 if there is none.
func findIndentingTab(source []byte, line int) diag.Place {
	lines := bytes.Split(source, []byte{'\n'})
	for _, k := range []int{line, line - 1, line + 1} {
		if k < 1 || k > len(lines) {
			continue
		}
		text := lines[k-1]
		i := bytes.IndexByte(text, '\t')
		if i >= 0 && len(bytes.TrimLeft(text[:i], " -")) == 0 && len(bytes.TrimSpace(text)) > 0 {
			return diag.Place{Line: k, Column: i + 1}
		}
	}
	return diag.Place{}
}

// errorOffset returns the byte that a message without a line is about: an unknown anchor, or the
// first character that YAML does not allow. It returns −1 if it finds neither.
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

// Resolve follows an alias.
func (r *Reader) Resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// Describe describes a node for a message that says what was found.
func Describe(n *yaml.Node) string {
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

// HasKey reports whether a mapping has a key.
func HasKey(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// Lookup returns the value of a key of a mapping, with aliases followed, or nil.
func (r *Reader) Lookup(n *yaml.Node, key string) *yaml.Node {
	if n = r.LookupRaw(n, key); n != nil {
		n = r.Resolve(n)
	}
	return n
}

// LookupRaw returns the value of a key of a mapping, which may be an alias, or nil.
func (r *Reader) LookupRaw(n *yaml.Node, key string) *yaml.Node {
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

// Pairs returns the entries of a mapping whose keys are names that the author chose. It reports
// duplicate keys and anything that is not a mapping; a null stands for an empty mapping.
func (r *Reader) Pairs(n *yaml.Node, what, example string) []Pair {
	if n = r.Resolve(n); !r.openCollection(n, yaml.MappingNode, what, "a mapping such as "+example) {
		return nil
	}
	var all []Pair
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := r.Resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			r.Fail(key, "%s: found %s as a key, expected a name", what, Describe(key))
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

// Fields are the entries of a mapping whose keys the format defines.
type Fields struct {
	r        *Reader
	what     string
	Node     *yaml.Node
	pairs    map[string]Pair
	Misspelt map[string]bool // keys that are missing because they are misspelt, which has been reported
}

// Fields reads a mapping and reports keys that are not among those given. It returns nil, and
// reports it, if n is not a mapping.
func (r *Reader) Fields(n *yaml.Node, what, example string, keys ...string) *Fields {
	n = r.Resolve(n)
	if n.Kind != yaml.MappingNode {
		r.Fail(n, "%s: found %s, expected a mapping such as %s", what, Describe(n), example)
		return nil
	}
	f := &Fields{r, what, n, map[string]Pair{}, map[string]bool{}}
	for _, p := range r.Pairs(n, what, example) {
		f.pairs[p.Name] = p
		if strings.Count(p.Name, ")") > strings.Count(p.Name, "(") {
			r.Fail(p.Key, "%s: there is no key %s; if it is the rest of a value, put the whole of it in quotes, "+
				"as in chance: \"min(a, b)\"", what, diag.Quote(p.Name))
		} else if !r.Known(p.Key, what, "key", p.Name, keys) {
			f.Misspelt[suggest.Name(p.Name, keys)] = true
		}
	}
	return f
}

// Known reports whether a name is among those allowed, and adds a problem if it is not. sort says
// what it is the name of.
func (r *Reader) Known(n *yaml.Node, what, sort, name string, names []string) bool {
	if slices.Contains(names, name) {
		return true
	}
	r.Fail(n, "%s: %s", what, diag.Unknown(sort, name, func() []string { return names }))
	return false
}

// Get returns the value of a key, or nil.
func (f *Fields) Get(key string) *yaml.Node {
	if p, ok := f.pairs[key]; ok {
		return p.Value
	}
	return nil
}

// Need returns the value of a mandatory key. It returns nil, and reports it, if the key is missing.
func (f *Fields) Need(key, example string) *yaml.Node {
	n := f.Get(key)
	if n == nil && !f.Misspelt[key] {
		f.r.Fail(f.Node, "%s: %q is missing; write %s: %s, for example", f.what, key, key, example)
	}
	return n
}

// Value reads the value of an optional key. Without the key the value is not Given.
func (f *Fields) Value(key string, want quantity.Kind) (v Value) {
	if n := f.Get(key); n != nil {
		v = f.r.Value(n, f.what+": "+key, want)
	}
	return v
}

// ref reads an optional key whose value refers to something. Without the key the Ref is not Given.
func (f *Fields) ref(key string) (name Ref) {
	if n := f.Get(key); n != nil {
		name = f.r.Ref(n, f.what+": "+key)
	}
	return name
}

// refs reads an optional key whose value is the name of a state or a list of such names.
func (f *Fields) refs(key string) []Ref {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	var all []Ref
	for _, item := range f.r.oneOrMore(n, f.what+": "+key, "[latent, infectious]") {
		all = append(all, f.r.Ref(item, f.what+": "+key))
	}
	if n.Kind == yaml.SequenceNode && len(all) == 0 {
		f.r.Fail(n, "%s: %s: expected at least one state, such as [latent, infectious]", f.what, key)
		all = append(all, Ref{At: f.r.Place(n), Bad: true})
	}
	return all
}

// name reads the optional key name; "" if it is missing.
func (f *Fields) name() string {
	if n := f.Get("name"); n != nil {
		return f.r.freeName(n, f.what+": name")
	}
	return ""
}

// Items returns the items of a list. It reports anything else; a null stands for an empty list.
func (r *Reader) Items(n *yaml.Node, what, example string) []*yaml.Node {
	if n = r.Resolve(n); !r.openCollection(n, yaml.SequenceNode, what, "a list such as "+example) {
		return nil
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = r.Resolve(item)
	}
	return items
}

// oneOrMore returns the items of a list, or the single item that is written in place of a list.
func (r *Reader) oneOrMore(n *yaml.Node, what, example string) []*yaml.Node {
	n = r.Resolve(n)
	if n.Kind == yaml.SequenceNode || n.Tag == "!!null" {
		return r.Items(n, what, example)
	}
	return []*yaml.Node{n}
}

// text returns a scalar without the spaces around it. It reports anything else, and an empty
// scalar.
func (r *Reader) text(n *yaml.Node, what, expected string) (string, bool) {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		r.Fail(n, "%s: found %s, expected %s", what, Describe(n), expected)
		return "", false
	}
	return text, true
}

// wholeNumber reads a whole number from 0 to most.
func (r *Reader) wholeNumber(n *yaml.Node, what string, most float64) (int, bool) {
	text, ok := r.text(n, what, "a whole number")
	if !ok {
		return 0, false
	}
	x, ok := quantity.ParseNumber(text)
	if !ok || x != float64(int64(x)) || !(x >= 0 && x <= most) {
		r.Fail(n, "%s: found %s, expected a whole number from 0 to %.0f", what, diag.Quote(text), most)
		return 0, false
	}
	return int(x), true
}

// A Ref is a name that is defined, or referred to, at a place.
type Ref struct {
	Name string
	At   diag.Place
	Bad  bool // it could not be read, which has been reported
}

// Given reports whether the file has the name at all.
func (n Ref) Given() bool { return n.At != diag.Place{} }

// Ref reads a name that refers to something.
func (r *Reader) Ref(n *yaml.Node, what string) Ref {
	text, ok := r.text(n, what, "a name")
	return Ref{text, r.Place(n), !ok}
}

// freeName reads the name of the model, a clock or an intervention, which may be any text that is
// not too long. It returns "" if it cannot.
func (r *Reader) freeName(n *yaml.Node, what string) string {
	text, ok := r.text(n, what, "a name")
	if ok && diag.NameTooLong(text) {
		r.Fail(n, "%s: %s is too long for a name; expected at most %d letters",
			what, diag.Quote(text), diag.MaxNameRunes)
		return ""
	}
	return text
}

var namePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL_](?:[\pL\pN_ .'+-]*[\pL\pN_.'+-])?$`)
})

// checkName reports whether a name can be that of a state, an attribute, a value of one, a
// parameter or a scenario, and adds a problem if not: where the name is used, it must not be
// mistaken for something else.
func (r *Reader) checkName(n *yaml.Node, what, name string) bool {
	return r.checkNameAt(r.Place(n), what, name)
}

// checkNameAt is checkName for a name at a place, which may be in a table.
func (r *Reader) checkNameAt(at diag.Place, what, name string) bool {
	reserved := map[string]string{
		Out:            "it means leaving the population",
		"rest":         "it means those who are left over",
		"everyone":     "it means all states",
		ByBirth:        "it means being born",
		ByImmigration:  "it means coming from elsewhere",
		ByIntervention: "it means being let in by an intervention",
	}
	if why, ok := reserved[name]; ok {
		r.Add(at, "%s: %q cannot be a name: %s; write another, such as %s", what, name, why, nameLike(what, name))
		return false
	}
	if diag.NameTooLong(name) {
		r.Add(at, "%s: %s is too long for a name; expected at most %d letters",
			what, diag.Quote(name), diag.MaxNameRunes)
		return false
	}
	if namePattern().MatchString(name) && !strings.Contains(name, "->") {
		return true
	}
	codes := ""
	if _, ofAttribute := strings.CutPrefix(what, "attributes: "); ofAttribute && name != "" && name[0] >= '0' && name[0] <= '9' {
		codes = ", and that in place of " + diag.Shorten(name) + " in files, too"
	}
	r.Add(at, "%s: %s cannot be a name; expected letters, digits and _, beginning with a letter: write %s, for example%s",
		what, diag.Quote(name), nameLike(what, name), codes)
	return false
}

// nameLike returns what could be written for a name that cannot be one, in a section or as a value of
// an attribute: scenario_2020 for 2020.
func nameLike(what, name string) string {
	of := strings.TrimSuffix(what[strings.LastIndexByte(what, ' ')+1:], "s")
	if of == "" || !namePattern().MatchString(of) {
		of = "name"
	}
	name = strings.Trim(strings.Map(func(c rune) rune {
		if c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '_'
	}, name), "_")
	if name == "" {
		name = "a"
	}
	return diag.Shorten(of + "_" + name)
}

// maxFlowBytes bounds what OneLine writes: with aliases a few lines can stand for any number of
// bytes. Longer values are cut off.
const maxFlowBytes = 1 << 20

// OneLine returns a node as YAML on one line, in flow style and with aliases followed.
func OneLine(n *yaml.Node) string {
	var b strings.Builder
	writeFlow(&b, n, false)
	return b.String()
}

// writeFlow writes a node in flow style. inside reports whether it is part of a mapping or a list.
func writeFlow(b *strings.Builder, n *yaml.Node, inside bool) {
	if n == nil || b.Len() > maxFlowBytes {
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		writeFlow(b, n.Alias, inside)
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, n.Content[i], true)
			b.WriteString(": ")
			writeFlow(b, n.Content[i+1], true)
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, item, true)
		}
		b.WriteByte(']')
	default:
		b.WriteString(Scalar(n.Value, inside))
	}
}

// Scalar returns a text as a YAML scalar, quoted if it would otherwise mean something else or be
// invalid. inside reports whether it is part of a mapping or a list in flow style.
func Scalar(text string, inside bool) string {
	special := strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") ||
		strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t\r\"") || startsWithIndicator(text)
	if special || inside && strings.ContainsAny(text, ",[]{}") {
		return strconv.Quote(text)
	}
	return text
}

// startsWithIndicator reports whether the first character has a meaning in YAML. The sign of a
// negative number has none.
func startsWithIndicator(text string) bool {
	return text != "" && strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@`") &&
		!(len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9')
}
