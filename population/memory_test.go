package population

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/memory"
)

// raceDetector tells whether the tests run with it: it takes several times the memory.
var raceDetector bool

// hungry are models whose memory is measured: until when, how many replicas, whether somebody listens, and whether it is what the
// start takes, or at most what may come.
var hungry = []struct {
	name     string
	model    string
	until    string
	replicas int
	listen   bool
	start    bool
	windows  int
}{
	{"everybody has clocks, and somebody listens", "tuberculosis", "1982", 1, true, true, 0},
	{"one replica after the other", "tuberculosis", "1981.1", 2, false, true, 0},
	{"by windows", "tuberculosis", "1982", 1, false, true, 1 << 20},
	{"by windows, one after the other", "tuberculosis", "1982", 2, false, true, 1 << 20},
	{"groups", "seir-regions", "1 day", 1, false, true, 0},
	{"nothing to come for most", "sir", "1 day", 1, false, true, 0},
	{"an epidemic", "sir", "35 days", 1, false, false, 0},
}

const hungrySize = 1_500_000

// What a run takes is what was estimated: at the start no more than a sixth above it and no less than half of it (the system lends memory
// where it is used, and a calendar of which nothing is used takes none), and later no more than was said.
func TestMemoryIsAsEstimated(t *testing.T) {
	if which := os.Getenv("ALMANAC_HUNGRY"); which != "" {
		measureHungry(t, which)
		return
	}
	if runtime.GOOS != "linux" || raceDetector {
		t.Skip("what the system measures is only known on Linux, and of the program alone without the race detector")
	}
	for k, c := range hungry {
		command := exec.Command(os.Args[0], "-test.run=^TestMemoryIsAsEstimated$")
		command.Env = append(os.Environ(), "ALMANAC_HUNGRY="+strconv.Itoa(k))
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, line, _ := bytes.Cut(out, []byte("hungry: "))
		var start, most, took float64
		if _, err := fmt.Sscan(string(line), &start, &most, &took); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Logf("%s: %.1f MB at the start, %.1f at most, %.1f measured", c.name, start/1e6, most/1e6, took/1e6)
		if c.start && !(took >= start/2 && took <= start*7/6) || !(took <= most*1.05) {
			t.Errorf("%s: %.1f MB at the start and %.1f at most were estimated, %.1f measured", c.name, start/1e6, most/1e6, took/1e6)
		}
	}
}

// measureHungry runs a model in a program of its own, and prints what was estimated and what it took.
func measureHungry(t *testing.T, which string) {
	k, err := strconv.Atoi(which)
	if err != nil {
		t.Fatal(err)
	}
	c := hungry[k]
	m, err := Load("../examples/"+c.model+".yaml", Size(hungrySize), Until(c.until))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Seed: 1, Replicas: c.replicas, Workers: 1, windows: c.windows}
	if c.listen {
		o.OnEvent = func(Event) {}
	}
	start, most := m.Memory(o)
	status := func(field string) (kB uint64) {
		text, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(text, []byte(field))
		if _, err := fmt.Sscan(string(rest), &kB); err != nil {
			t.Fatal(err)
		}
		return kB
	}
	before := status("VmRSS:")
	if _, err := m.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("hungry: %d %d %d\n", start, most, 1024*(status("VmHWM:")-before))
}

// The same without the system, of arrays alone: what is allocated is what is in use and the room for half as many again.
func TestMemoryOfArrays(t *testing.T) {
	for _, c := range []struct {
		model  string
		listen bool
	}{{"tuberculosis", true}, {"seir-regions", false}} {
		const size = 200_000
		m, err := Load("../examples/"+c.model+".yaml", Size(size))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Replicas: 1}
		r := replica{rule: usualAside}
		if c.listen {
			o.OnEvent = func(Event) {}
			r.onEvent = o.OnEvent
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := r.start(context.Background(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		arrays := 8*r.stride + len(m.attributes) + recordBytes
		if c.listen {
			arrays += numberBytes
		}
		want := m.demand(&o).each/overhead*size + float64(arrays)/usualSpare*size
		got := float64(after.HeapAlloc - before.HeapAlloc)
		if math.Abs(got-want) > 0.03*want+3e6 { // chunks of the calendar that are not full come on top, and a slab that is not
			t.Errorf("%+v: %.1f MB are allocated, %.1f expected", c, got/1e6, want/1e6)
		}
		t.Logf("%+v: %.1f MB are allocated, %.1f expected", c, got/1e6, want/1e6)
		if own := float64(r.bytes()); math.Abs(own-want+float64(arrays)/usualSpare*size) > 0.02*want {
			t.Errorf("%+v: a replica takes %.1f MB by its own account", c, own/1e6)
		}
		runtime.KeepAlive(&r)
	}
}

// What is estimated of an individual, and what a replica counts of it, is to less than a byte what its
// arrays have for it, also where its state is kept in a byte of its own.
func TestMemoryOfOne(t *testing.T) {
	for _, o := range []Options{{Replicas: 1}, {Replicas: 1, OnEvent: func(Event) {}}, {Replicas: 1, forks: true}} {
		m, err := Load("../examples/sir.yaml", Size(10_000))
		if err != nil {
			t.Fatal(err)
		}
		r := replica{rule: usualAside, forks: o.forks, onEvent: o.OnEvent}
		if o.forks {
			r.rule.least = math.MaxInt
		}
		if err := r.start(t.Context(), m, 1, 0); err != nil {
			t.Fatal(err)
		}
		if !r.glances {
			t.Fatal("the states are not kept in bytes of their own")
		}
		arrays := 8*len(r.words) + len(r.glance) + numberBytes*len(r.numbers) + originBytes*len(r.origins)
		want := float64(arrays)/float64(r.room) + float64(m.columnBytes()) + recordBytes
		estimated := m.demand(&o).each/overhead - eventBytes
		counted := (float64(r.bytes()) - eventBytes*float64(r.queue.Len())) / float64(r.ids)
		if math.Abs(estimated-want) > 0.5 || math.Abs(counted-want) > 0.5 {
			t.Errorf("%.2f bytes are estimated and %.2f counted, of %.2f", estimated, counted, want)
		}
	}
}

const crowdModel = `
name: crowd
time: {unit: day, start: 100, end: 400}
population: {size: %d, most: MOST, start: {a: rest}}
attributes: {region: {north: 50%%, south: 50%%}}
states: {a: {race: [{after: {gamma: {mean: 20 days, shape: 2}}, to: b}]}, b: {}}
transmission: [{from: a, rate: 0.1 per day, to: {b: a}, mixing: {by: region, matrix: [[1, 0], [0, 1]]}}]
%s
record: {every: 1 day}
`

func crowdOf(t *testing.T, size int, more string) *Model {
	t.Helper()
	return compiled(t, crowdText(size, more))
}

func crowdText(size int, more string) string {
	return strings.Replace(fmt.Sprintf(crowdModel, size, more), "MOST", strconv.Itoa(mostIndividuals), 1)
}

// A run for which there is not enough memory does not begin, and says what would fit, and that does.
func TestMemoryRefused(t *testing.T) {
	const gb = 1e9
	for _, c := range []struct {
		size, replicas, workers int
		limit                   uint64
		want                    string
	}{
		{400_000_000, 1, 0, 2 * gb, "the run needs about 2"},
		{mostIndividuals, 1, 0, 4 * gb, "the run needs about "},
		{400_000_000, 10, 1, 2 * gb, "and 2 GB are available; with a size of "},
		{12_000_000, 10, 5, 2 * gb, "; with 2 workers it would fit"},
		{1000, min(1_000_000_000_000, math.MaxInt), 0, 2 * gb, "TB, and 2 GB are available; record fewer rows, or run fewer replicas"},
		{1000, math.MaxInt, 0, 2 * gb, "record fewer rows, or run fewer replicas"},
		{1000, 1, 0, 1000, "the run needs about 8.4"},
	} {
		m := crowdOf(t, c.size, "")
		o := Options{Replicas: c.replicas, Workers: c.workers, Memory: c.limit}
		result, err := m.Run(context.Background(), o)
		if result != nil || !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "crowd: not enough memory: ") {
			t.Errorf("%d × %d: %v", c.size, c.replicas, err)
			continue
		}
		if again := m.Fits(o); again == nil || again.Error() != err.Error() {
			t.Errorf("%v, but a run says %v", again, err)
		}
		if _, size, ok := strings.Cut(err.Error(), "with a size of "); ok {
			n, convErr := strconv.Atoi(strings.ReplaceAll(strings.TrimSuffix(size, " it would fit"), "_", ""))
			if convErr != nil || n < c.size/100 {
				t.Errorf("%v: %d", err, n)
			}
			if err := crowdOf(t, n, "").Fits(o); err != nil {
				t.Errorf("what was said to fit: %v", err)
			}
			if crowdOf(t, n+n/4, "").Fits(o) == nil {
				t.Errorf("a quarter more than %d fits as well", n)
			}
		}
		if strings.Contains(c.want, "with 2 workers") {
			if o.Workers = 2; m.Fits(o) != nil {
				t.Error(m.Fits(o))
			}
			if o.Workers = 3; m.Fits(o) == nil {
				t.Error("three workers fit as well")
			}
		}
	}
}

// If nobody asked for a number of workers there are as many as there is memory for.
func TestMemoryDecidesWorkers(t *testing.T) {
	m := crowdOf(t, 300_000, "")
	_, most := m.Memory(Options{Replicas: 40, Workers: 1})
	for want := 1; want <= 4; want++ {
		o := Options{Replicas: 40, Memory: uint64(want)*most + most/10}
		p := newPurse(&o)
		got, err := m.afford(&o, p)
		if want := min(want, runtime.GOMAXPROCS(0)); err != nil || got != want {
			t.Errorf("%d workers, %v, want %d", got, err, want)
		}
	}
}

// A population that grows is stopped before it takes more than there is, with what was recorded, and says when: whether it grows
// by births, by an intervention, because everybody's timers are moved, or because everybody has an event all of a sudden.
func TestMemoryRunsOut(t *testing.T) {
	for _, c := range []struct {
		name, more string
		size       int
		limit      uint64
		rows       int // at least
	}{
		{"births", "births: {rate: 0.8 per day, enter: a}", 1000, 9e6, 4},
		{"births into b", "births: {rate: 0.8 per day, enter: b}", 1000, 9e6, 4},
		{"immigration", "immigration: {rate: 20_000 per day, enter: b}", 0, 9e6, 2},
		{"intervention", "interventions: [{at: 110.5 days, enter: a, count: 2_000_000_000}]", 1000, 9e6, 11},
		{"events", "parameters: {r: 0 per day}\nalways: [{rate: r, to: b}]\ninterventions: [{at: 120.5 days, set: {r: 0.01 per day}}]", 500_000, 31_600_000, 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := crowdOf(t, c.size, c.more)
			if c.name == "events" {
				m = compiled(t, strings.Replace(crowdText(c.size, c.more), "start: {a: rest}", "start: {b: rest}", 1))
			}
			highest := uint64(0)
			result, err := m.Run(context.Background(), Options{Seed: 1, Memory: c.limit, OnRecord: func(r Record) {
				highest = max(highest, uint64(r.Total)*(8*3+1+groupBytes+recordBytes))
			}})
			if result == nil || !errors.Is(err, ErrMemory) || result.Stopped != err || !result.Incomplete {
				t.Fatalf("%v", err)
			}
			if rows := result.Rows(); rows < c.rows || rows >= len(m.Times()) {
				t.Errorf("%d rows", rows)
			} else if last := m.Times()[rows-1]; !strings.Contains(err.Error(), "at time 1") || !strings.Contains(err.Error(), "individuals take") {
				t.Errorf("after %v: %v", last, err)
			}
			// What an intervention lets in is in no row.
			if highest > c.limit || highest < c.limit/8 && c.name != "intervention" {
				t.Errorf("%d bytes of %d were taken when it was stopped", highest, c.limit)
			}
		})
	}
}

// Where timers no longer lie aside the words are copied, which is not begun without memory for it.
func TestMemoryForTimers(t *testing.T) {
	m := crowdOf(t, 40_000, "")
	p := &purse{limit: 1 << 40, workers: 1}
	left := uint64(1 << 40)
	p.room = func() memory.Room { return roomOf(left, 0) }
	r := replica{rule: asideRule{1, 100, 0}, purse: p}
	p.spare, p.each = usualSpare, 100
	if err := r.start(context.Background(), m, 1, 0); err != nil {
		t.Fatal(err)
	}
	r.rule.share = 0.01
	left = 1000
	p.limit = 1000
	if err := r.pause(context.Background(), 0); !errors.Is(err, ErrMemory) {
		t.Errorf("%v", err)
	}
	left, p.limit = 1<<40, 1<<40
	if err := r.pause(context.Background(), 0); err != nil || r.aside != nil {
		t.Errorf("%v, the timers lie aside: %v", err, r.aside != nil)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}

// What runs that are over have left is given back before a run is refused for want of memory, or has fewer workers.
func TestMemoryOfRunsThatAreOver(t *testing.T) {
	m := crowdOf(t, 4_000_000, "")
	start, most := m.Memory(Options{Replicas: 2, Workers: 2})
	left := start / 2
	p := newPurse(&Options{})
	p.room = func() memory.Room { return memory.Room{Pages: left, Address: memory.Unknown} }
	given := 0
	p.release = func() { given++; left = 2 * most }
	if _, err := m.afford(&Options{Replicas: 2, Workers: 2}, p); err != nil || given != 1 {
		t.Errorf("%v, given back %d times", err, given)
	}
	if _, err := m.afford(&Options{Replicas: 2, Workers: 2}, p); err != nil || given != 1 {
		t.Errorf("%v, given back %d times, though there is enough", err, given)
	}
	p.release = func() {}
	left = start / 2
	if _, err := m.afford(&Options{Replicas: 2, Workers: 2}, p); !errors.Is(err, ErrMemory) {
		t.Errorf("in use by others: %v", err)
	}
}

// Where nothing says how much memory there is, everything is run.
func TestMemoryUnknown(t *testing.T) {
	p := &purse{workers: 1, spare: usualSpare, release: func() {}, room: func() memory.Room { return memory.Room{Pages: memory.Unknown, Address: memory.Unknown} }}
	if !p.has(1<<50, 1<<50) {
		t.Error("there is nothing that forbids it")
	}
	o := Options{}
	if _, err := crowdOf(t, mostIndividuals, "").afford(&o, p); err != nil {
		t.Error(err)
	}
	// Address space is another matter than memory in use.
	p.room = func() memory.Room { return memory.Room{Pages: memory.Unknown, Address: 1 << 30} }
	if p.has(0, 2<<30) || !p.has(0, 1<<29) {
		t.Error("address space does not count")
	}
	if _, err := crowdOf(t, mostIndividuals, "").afford(&o, p); !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "1.07 GB are available; with a size of ") {
		t.Error(err)
	}
	m := crowdOf(t, 15_000_000, "")
	if _, err := m.afford(&o, p); err != nil || p.spare != leastSpare {
		t.Errorf("%v, spare %d", err, p.spare)
	}
}
