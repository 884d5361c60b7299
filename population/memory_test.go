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

	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// raceDetector tells whether the tests run with it: it takes several times the memory.
var raceDetector bool

// hungry are models whose memory is measured: until when, how many replicas, whether somebody
// listens, and whether it is what the start takes, or at most what may come.
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

const hungrySize = 1_100_000 // more than a million is laid out in another manner

// What a run takes is what was estimated: at the start no more than a sixth above it and no less
// than half of it (the system lends memory where it is used, and a calendar of which nothing is
// used takes none), and later no more than was said.
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
		command.Env = append(os.Environ(), "ALMANAC_HUNGRY="+strconv.Itoa(k), "ALMANAC_CHECK=0") // which takes memory
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
			t.Errorf("%s: %.1f MB at the start and %.1f at most were estimated, %.1f measured", c.name, start/1e6, most/1e6,
				took/1e6)
		}
	}
}

// measureHungry runs a model in a program of its own, and prints what was estimated and what it
// took.
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

// A run for which there is not enough memory does not begin, and says what would fit, and that
// does.
func TestMemoryRefused(t *testing.T) {
	const gb = 1e9
	for _, c := range []struct {
		size, replicas, workers int
		Threshold               uint64
		want                    string
	}{
		{400_000_000, 1, 0, 2 * gb, "the run needs about 2"},
		{syntax.MaxIndividuals, 1, 0, 4 * gb, "the run needs about "},
		{400_000_000, 10, 1, 2 * gb, "and 2 GB are available; with a size of "},
		{12_000_000, 10, 5, 2 * gb, "; with 2 workers it would fit"},
		{1000, min(1_000_000_000_000, math.MaxInt), 0, 2 * gb,
			"TB, and 2 GB are available; record fewer rows, or run fewer replicas"},
		{1000, math.MaxInt, 0, 2 * gb, "record fewer rows, or run fewer replicas"},
		{1000, 1, 0, 1000, "the run needs about 8.4"},
	} {
		m := crowdModel(t, c.size, "")
		o := Options{Replicas: c.replicas, Workers: c.workers, Memory: c.Threshold}
		result, err := m.Run(context.Background(), o)
		if result != nil || !errors.Is(err, engine.ErrMemory) || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "crowd: not enough memory: ") {
			t.Errorf("%d × %d: %v", c.size, c.replicas, err)
			continue
		}
		if again := m.CheckMemory(o); again == nil || again.Error() != err.Error() {
			t.Errorf("%v, but a run says %v", again, err)
		}
		if _, size, ok := strings.Cut(err.Error(), "with a size of "); ok {
			n, convErr := strconv.Atoi(strings.ReplaceAll(strings.TrimSuffix(size, " it would fit"), "_", ""))
			if convErr != nil || n < c.size/100 {
				t.Errorf("%v: %d", err, n)
			}
			if err := crowdModel(t, n, "").CheckMemory(o); err != nil {
				t.Errorf("what was said to fit: %v", err)
			}
			if crowdModel(t, n+n/4, "").CheckMemory(o) == nil {
				t.Errorf("a quarter more than %d fits as well", n)
			}
		}
		if strings.Contains(c.want, "with 2 workers") {
			if o.Workers = 2; m.CheckMemory(o) != nil {
				t.Error(m.CheckMemory(o))
			}
			if o.Workers = 3; m.CheckMemory(o) == nil {
				t.Error("three workers fit as well")
			}
		}
	}
}

// A population that grows is stopped before it takes more than there is, with what was recorded,
// and says when: whether it grows by births, by an intervention, because everybody's timers are
// moved, or because everybody has an event all of a sudden.
func TestMemoryRunsOut(t *testing.T) {
	for _, c := range []struct {
		name, more string
		size       int
		Threshold  uint64
		rows       int // at least
	}{
		{"births", "births: {rate: 0.8 per day, enter: a}", 1000, 9e6, 4},
		{"births into b", "births: {rate: 0.8 per day, enter: b}", 1000, 9e6, 4},
		{"immigration", "immigration: {rate: 20_000 per day, enter: b}", 0, 9e6, 2},
		{"intervention", "interventions: [{at: 110.5 days, enter: a, count: 2_000_000_000}]", 1000, 9e6, 11},
		{"events", "parameters: {r: 0 per day}\nalways: [{rate: r, to: b}]\n" +
			"interventions: [{at: 120.5 days, set: {r: 0.01 per day}}]", 500_000, 31_600_000, 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := crowdModel(t, c.size, c.more)
			if c.name == "events" {
				m = modelFrom(t, strings.Replace(crowdText()+c.more+"\n", "start: {a: rest}", "start: {b: rest}", 1), Size(c.size))
			}
			highest := uint64(0)
			result, err := m.Run(context.Background(), Options{Seed: 1, Memory: c.Threshold, OnRecord: func(r Record) {
				highest = max(highest, uint64(r.Total)*(8*3+1+8+12))
			}})
			if result == nil || !errors.Is(err, engine.ErrMemory) || result.Stopped != err || !result.Incomplete {
				t.Fatalf("%v", err)
			}
			if rows := result.Rows(); rows < c.rows || rows >= len(m.Times()) {
				t.Errorf("%d rows", rows)
			} else if last := m.Times()[rows-1]; !strings.Contains(err.Error(), "at time 1") || !strings.Contains(err.Error(),
				"individuals take") {
				t.Errorf("after %v: %v", last, err)
			}
			// What an intervention lets in is in no row.
			if highest > c.Threshold || highest < c.Threshold/8 && c.name != "intervention" {
				t.Errorf("%d bytes of %d were taken when it was stopped", highest, c.Threshold)
			}
		})
	}
}

// crowdModel is the crowd of testdata with a number of individuals, and more that happens.
func crowdModel(t *testing.T, size int, more string) *Model {
	t.Helper()
	return modelFrom(t, crowdText()+more+"\n", Size(size))
}

// crowdText is the crowd of testdata, with as many individuals as there may be.
func crowdText() string {
	return strings.Replace(testModel("crowd"), "2_000_000_000", strconv.FormatInt(syntax.MaxIndividuals, 10), 1)
}
