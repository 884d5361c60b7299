package population

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population/internal/statefile"
)

// damageModel has something of everything that a state has, and few individuals.
const damageModel = `
name: few
time: {unit: day, end: 20}
attributes: {place: {north: 50%, south: 50%}}
population: {size: 12, start: {well: rest, ill: 3}}
parameters: {beta: 2 per day}
states:
  well: {}
  ill: {split: [{chance: 30%, after: {gamma: {mean: 5 days, shape: 2}}, to: out},
    {otherwise: true, after: 3 days, to: immune}]}
  immune: {race: [{after: {weibull: {scale: 4 days, shape: 2}}, to: well}]}
transmission: [{from: ill, rate: beta, to: {well: ill}, mixing: {by: place, matrix: [[0.8, 0.2], [0.2, 0.8]]}}]
immigration: [{rate: 0.3 per day, enter: well}]
interventions:
  - {name: less, when: {ill: above 5}, set: {beta: 1 per day}}
  - {name: more, at: 4, set: {beta: 3 per day}}
outcomes: {cost: {time: 2 per day}}
record: {every: 4 days, by: [place]}
`

// savedFile is the file of a state of a model.
func savedFile(t testing.TB, source, at string, o Options) []byte {
	t.Helper()
	m, err := Compile("model.yaml", []byte(source), SaveAt(at))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state")
	if o.Save, err = m.CreateState(path); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := o.Save.Keep(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// loads reads a file and goes on with all its states, as far as to their times. It returns an error
// in words if the file cannot be read, and the invariants of the runs hold if it can.
func loads(t testing.TB, path string) error {
	t.Helper()
	s, err := OpenState(path)
	if err != nil {
		return err
	}
	defer s.Close()
	m, err := s.Compile()
	if err != nil {
		return err
	}
	for k := range s.Replicas() {
		p, err := m.Begin(context.Background(), Options{}, s.First()+k)
		if err != nil {
			return err
		}
		if err := p.r.Check(); err != nil {
			t.Errorf("it was read, and is wrong: %v", err)
		}
		p.Close()
		o := Options{First: s.First() + k, Seed: s.Seed()} // rows, too
		m.program.RecordTimes = m.program.RecordTimes[:1]
		if _, err := m.Run(context.Background(), o); err != nil {
			return err
		}
	}
	return nil
}

func TestFlippedBytesAreRefused(t *testing.T) {
	file := savedFile(t, damageModel, "7", Options{Seed: 3})
	path := filepath.Join(t.TempDir(), "state")
	try := func(content []byte) error {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return loads(t, path)
	}
	if err := try(file); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(file); i += testscale.Size(15, 1) {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x41
		if err := try(damaged); err == nil {
			t.Errorf("byte %d of %d was flipped, and the state was read", i, len(file))
		}
	}
	draws := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n := draws.IntN(len(file))
		if err := try(file[:n]); err == nil {
			t.Errorf("%d of %d bytes were read", n, len(file))
		}
	}
}

// The error of a state that is read while a replica begins has the name of its file.
func TestDamagedStateIsNamed(t *testing.T) {
	file := savedFile(t, damageModel, "7", Options{Seed: 3})
	path := filepath.Join(t.TempDir(), "calm.almanac")
	named := 0
	for i := 0; i < len(file); i += 101 {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x41
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := OpenState(path)
		if err != nil {
			continue // TestFlippedBytesAreRefused
		}
		m, err := s.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(t.Context(), Options{First: s.First(), Replicas: 1, Seed: s.Seed()}); err == nil ||
			!strings.Contains(err.Error(), path+": it is damaged") {
			t.Errorf("byte %d: %v", i, err)
		}
		// Begin does not read rows.
		if _, err := m.Begin(t.Context(), Options{}, s.First()); err != nil &&
			!strings.Contains(err.Error(), path+": it is damaged") {
			t.Errorf("byte %d, one event at a time: %v", i, err)
		}
		named++
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if named == 0 {
		t.Error("no damage was left to the run")
	}
}

// resealed is a file in which some bytes of the contents are others, with checksums that are right.
func resealed(t testing.TB, file []byte, edit func(name string, content []byte) []byte) []byte {
	t.Helper()
	in, err := statefile.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := statefile.NewWriter(&out)
	for _, s := range in.Sections {
		content := make([]byte, s.Length)
		if err := in.Read(s, content); err != nil {
			t.Fatal(err)
		}
		if err := w.Section(s.Name, edit(s.Name, content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// edited is a file whose head of the first replica has other numbers, with checksums that are
// right.
func edited(t testing.TB, file []byte, edit func(head map[string]any)) []byte {
	return resealed(t, file, func(name string, content []byte) []byte {
		if name != "0/run/run" {
			return content
		}
		head := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		err := d.Decode(&head)
		if err == nil {
			edit(head)
			content, err = json.Marshal(head)
		}
		if err != nil {
			t.Fatal(err)
		}
		return content
	})
}

// A file that says that it has more individuals than it has, or is of another time than its model,
// is refused when it is opened, before memory is taken for them.
func TestHeadsThatAreNotOfTheFile(t *testing.T) {
	file := savedFile(t, damageModel, "7", Options{Seed: 3})
	path := filepath.Join(t.TempDir(), "state")
	for name, edit := range map[string]func(head map[string]any){
		"as many as fit into an id": func(head map[string]any) { head["used"], head["slot_count"] = 4e9, 4e9+1 },
		"one more":                  func(head map[string]any) { head["used"] = 1 + whole(head["used"]) },
		"slots for a thousand more": func(head map[string]any) { head["slot_count"] = 1000 + whole(head["slot_count"]) },
		"wide individuals":          func(head map[string]any) { head["stride"] = 60_000 },
		"another time":              func(head map[string]any) { head["now"] = json.Number(fmt.Sprint(math.Float64bits(6))) },
	} {
		if err := os.WriteFile(path, edited(t, file, edit), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenState(path); !errors.Is(err, statefile.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A state in which nobody has a next event is refused, of a run with a calendar and of one by
// windows.
func TestStateWithoutEvents(t *testing.T) {
	const machines = `
name: ward
time: {unit: day, end: 20}
population: {size: 20_000, start: {well: rest}}
states: {well: {}}
machines: {care: {start: {no: rest, seen: 5000}, states: {no: {}, seen: {race: [{after: 9 days, to: no}]}}}}
`
	for name, source := range map[string]string{
		"calendar": damageModel,
		"machines": machines,
		"windows": `
name: town
time: {unit: day, end: 20}
population: {size: 20_000, start: {well: rest, ill: 5000}}
states: {well: {}, ill: {race: [{after: {gamma: {mean: 9 days, shape: 2}}, to: well}]}}
`,
	} {
		windows := 0
		if strings.HasSuffix(name, "windows") {
			windows = 10_000
		}
		file := savedFile(t, source, "7", Options{Seed: 3, windows: windows})
		stride, changed := 0, 0
		file = edited(t, file, func(head map[string]any) {
			if head["inline"] == true {
				stride = int(whole(head["stride"]))
			}
		})
		never := func(words []byte, each int) []byte {
			for i := each - 1; 8*i < len(words); i += each {
				if at := math.Float64frombits(binary.NativeEndian.Uint64(words[8*i:])); at >= 7 && at < 40 {
					binary.NativeEndian.PutUint64(words[8*i:], math.Float64bits(math.Inf(1)))
					changed++
				}
			}
			return words
		}
		path := filepath.Join(t.TempDir(), "state")
		err := os.WriteFile(path, resealed(t, file, func(section string, content []byte) []byte {
			switch {
			case stride > 0 && section == "0/individuals/words":
				return never(content, stride)
			case section == "0/individuals/due":
				return never(content, 1)
			}
			return content
		}), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		err = loads(t, path)
		if changed == 0 || !errors.Is(err, statefile.ErrDamaged) || !strings.Contains(err.Error(), "none of its clocks") {
			t.Errorf("%s: %d have no event any more: %v", name, changed, err)
		}
		if (windows > 0) != (stride > 0) {
			t.Errorf("%s: %d words", name, stride)
		}
	}
}

// A state with timers that fired before it was saved, or at no time, is refused.
func TestTimersOfThePast(t *testing.T) {
	const source = `
name: town
time: {unit: day, end: 20}
population: {size: 20_000, start: {well: rest, ill: 5000}}
states: {well: {}, ill: {race: [{after: {gamma: {mean: 9 days, shape: 2}}, to: well}]}}
`
	stride := 0
	file := edited(t, savedFile(t, source, "7", Options{Seed: 3, windows: 10_000}), func(head map[string]any) {
		stride = int(whole(head["stride"]))
	})
	for _, at := range []float64{math.NaN(), 6.9} {
		changed := 0
		path := filepath.Join(t.TempDir(), "state")
		err := os.WriteFile(path, resealed(t, file, func(section string, content []byte) []byte {
			if section != "0/individuals/words" {
				return content
			}
			word := func(i int) []byte { return content[8*i : 8*i+8] }
			for row := 0; 8*row < len(content); row += stride {
				next := row + stride - 1
				if time := math.Float64frombits(binary.NativeEndian.Uint64(word(next))); !(time < 40) {
					continue
				}
				for i := row; i < next; i++ { // the timer that fires next
					if bytes.Equal(word(i), word(next)) {
						binary.NativeEndian.PutUint64(word(i), math.Float64bits(at))
						changed++
					}
				}
			}
			return content
		}), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		err = loads(t, path)
		if changed == 0 || !errors.Is(err, statefile.ErrDamaged) || !strings.Contains(err.Error(), "a timer is in the past") {
			t.Errorf("%d timers at %v: %v", changed, at, err)
		}
	}
}

// whole is a number of JSON.
func whole(value any) int64 {
	n, _ := value.(json.Number).Int64()
	return n
}

// FuzzState changes bytes of a state, and makes the checksums right: reading it never panics, and
// what is read is a run whose invariants hold.
func FuzzState(f *testing.F) {
	file := savedFile(f, damageModel, "7", Options{Seed: 3})
	in, err := statefile.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		f.Fatal(err)
	}
	draws := rand.New(rand.NewPCG(7, 7))
	for k := range in.Sections {
		for range testscale.Size(3, 6) {
			f.Add(uint16(k), draws.Uint32(), uint8(draws.Uint32()), uint8(draws.IntN(4)))
		}
	}
	f.Fuzz(func(t *testing.T, section uint16, offset uint32, value, how uint8) {
		which := in.Sections[int(section)%len(in.Sections)].Name
		if which == "model" {
			return // the text of a model has a fuzz target of its own
		}
		changed := resealed(t, file, func(name string, content []byte) []byte {
			if name != which || len(content) == 0 {
				return content
			}
			switch at := int(offset % uint32(len(content))); how % 4 {
			case 0:
				content[at] ^= value
			case 1:
				content = content[:at]
			case 2:
				content = append(content, value)
			default:
				withLargeNumber(content, at, value>>5)
			}
			return content
		})
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		_ = loads(t, path)
	})
}

// A run by windows goes on as it would have, by windows or with the calendar, on any number of
// cores.
func TestSavedByWindows(t *testing.T) {
	load := func(changes ...Change) *Model {
		m, err := Load("../examples/tuberculosis.yaml", append([]Change{Size(150_000), Until("1987")}, changes...)...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	result := func(m *Model, o Options) *Run {
		result, err := m.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		result.Runs[0].Seconds, result.Runs[0].Setup = 0, 0
		return &result.Runs[0]
	}
	want, err := result(load(), Options{Seed: 3}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, windows := range []int{0, 1 << 17} {
		m := load(SaveAt("1984.3"))
		path := filepath.Join(t.TempDir(), "state")
		o := Options{Seed: 3, windows: windows}
		if o.Save, err = m.CreateState(path); err != nil {
			t.Fatal(err)
		}
		if run := result(m, o); (run.Windows > 0) != (windows > 0) {
			t.Fatalf("%d windows", run.Windows)
		}
		if err := o.Save.Keep(); err != nil {
			t.Fatal(err)
		}
		s, err := OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		on, err := s.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{windows: windows}, {windows: 0}, {forks: true}} {
			run := result(on, o)
			if (run.Windows > 0) != (o.windows > 0) {
				t.Errorf("saved by %d: %d windows", windows, run.Windows)
			}
			if got, err := run.MarshalBinary(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("saved by %d, on by %d: it is another run: %v", windows, o.windows, err)
			}
		}
	}
}

// goesOn runs a state to the end of its model. It may fail with an error in words.
func goesOn(t testing.TB, path string) {
	t.Helper()
	s, err := OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = m.Run(context.Background(), Options{First: s.First(), Seed: s.Seed()})
}

// withLargeNumber puts a number of 32 bits that is near the largest at a place of a section: as an
// int of 32 bits it is negative, and it wraps if something is added.
func withLargeNumber(content []byte, at int, less uint8) {
	if at &^= 3; at+4 <= len(content) {
		binary.LittleEndian.PutUint32(content[at:], math.MaxUint32-uint32(less))
	}
}

// A state of places, queues, networks, tracing and observers in which bytes are others is refused,
// or it is a run whose invariants hold: reading it never panics.
func TestDamagedNeighbours(t *testing.T) {
	draws := rand.New(rand.NewPCG(11, 12))
	edits := testscale.Size(12, 400)
	for _, name := range []string{"places", "networks", "tracing", "observed"} {
		file := savedFile(t, Busy[name], "5", Options{Seed: 3})
		in, err := statefile.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		var sections []string
		for _, s := range in.Sections {
			for _, part := range []string{"places", "networks", "near", "lines", "tracing", "observers", "rows", "run"} {
				if strings.HasPrefix(s.Name, "0/"+part+"/") && s.Length > 0 {
					sections = append(sections, s.Name)
				}
			}
		}
		path := filepath.Join(t.TempDir(), "state")
		refused := 0
		for range edits {
			which, bit := sections[draws.IntN(len(sections))], byte(1)<<draws.IntN(8)
			at, how := draws.IntN(1<<20), draws.IntN(8)
			changed := resealed(t, file, func(section string, content []byte) []byte {
				if section != which {
					return content
				}
				switch at %= len(content); how {
				case 0:
					return content[:at]
				case 1:
					return append(content, bit)
				case 2, 3:
					withLargeNumber(content, at, bit-1)
				default:
					content[at] ^= bit
				}
				return content
			})
			if err := os.WriteFile(path, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			if loads(t, path) != nil {
				refused++
			} else {
				goesOn(t, path)
			}
			if t.Failed() {
				t.Fatalf("%s: byte %d of %s was changed in way %d by %d", name, at, which, how, bit)
			}
		}
		if refused < edits/4 { // most counts of what was observed cannot be wrong
			t.Errorf("%s: %d of %d were refused", name, refused, edits)
		}
	}
}
