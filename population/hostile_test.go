package population_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// hostileModel returns a model whose parts get into each other's way: wards without room for most,
// with lines for them and for supplies, links of everybody, calls that make calls, and people who
// leave at any time.
func hostileModel(s *rand.Rand) string {
	pick := func(of ...string) string { return of[s.IntN(len(of))] }
	some := func(of ...string) (chosen []string) {
		for _, line := range of {
			if s.IntN(3) > 0 {
				chosen = append(chosen, "  - "+line)
			}
		}
		return append(chosen, "  - "+pick(of...))
	}
	list := func(key string, of ...string) string { return key + ":\n" + strings.Join(some(of...), "\n") + "\n" }
	full := func() string {
		return pick("", ", full: waiting", ", full: waiting, queue: true", ", full: critical",
			", full: critical, queue: true", ", full: out", ", full: s")
	}
	delay := func() string {
		return pick("", ", after: 0 days", ", after: 3 days", ", after: 100 days", ", after: {exponential: {mean: 2 days}}",
			", after: {by: region, n: 1 day, s: {gamma: {mean: 4 days, shape: 2}}}", ", after: delay")
	}
	chance := func() string {
		return pick("0%", "100%", "50%", "found", "{by: region, of: met, n: 100%, s: 0%}",
			"{line: {0 days: 0%, 15 days: 100%}}")
	}
	ends := func() string {
		return pick("", ", ends: {rate: breakup}", ", ends: {after: 2 days}", ", ends: {after: lasts}",
			", ends: {rate: {line: {0: 0.1 per day, 20 days: 2 per day}}}")
	}
	return "name: hostile\ntime: {unit: day, end: 20}\n" +
		"population: {size: " + pick("3", "20", "80", "150") + ", start: {i: " + pick("1", "2", "3") + ", s: rest}}\n" +
		"attributes: {region: {n: 40%, s: 60%}, home: {same as: region}}\n" +
		"parameters: {breakup: 0.3 per day, lasts: {gamma: {mean: 3 days, shape: 2}}, delay: {exponential: {mean: 1 day}}, " +
		"found: 50%, beta: 0.5 per day}\n" +
		"places:\n" +
		"  household: {size: " + pick("1", "2", "{1: 50%, 4: 50%}", "{poisson: {mean: 3, least: 1}}", "200") +
		", alike: [home]" + pick("", ", capacity: 4") + ", join: " + pick("new", "any", "none") + "}\n" +
		"  room: {size: 2, alike: [household], join: " + pick("new", "any", "none") + "}\n" +
		"  ward: {number: " + pick("1", "2", "7") + ", capacity: " + pick("1", "2", "3") + ", where: {state: " +
		pick("hospital", "[hospital, critical]", "[hospital, waiting]") + "}" + pick("", ", join: none") + "}\n" +
		"  icu: {number: 1, capacity: 1, where: {state: critical}}\n" +
		"  club: {number: 2, capacity: " + pick("1", "5") + ", where: {iso: alone}}\n" +
		"networks:\n" +
		"  steady: {most: 1" + ends() + "}\n" +
		"  casual: {most: {by: region, n: 0, s: 3}" + ends() + "}\n" +
		"  old: {" + pick("random: {mean: 2}", "degrees: 3", "degrees: {poisson: {mean: 2}}") + ends() + "}\n" +
		"supplies: {doses: {at: 2 days, every: " + pick("1 day", "4 days") + ", count: " + pick("0", "1", "20") +
		", keep: 5}}\n" +
		"states:\n" +
		"  s: {race: [{rate: 0.02 per day, to: hospital" + full() + ", name: fall}]}\n" +
		"  i: {race: [{after: 3 days, to: hospital" + full() + ", name: admission}, {rate: 0.1 per day, to: r}, " +
		"{rate: 0.05 per day, to: out, name: death}]}\n" +
		"  waiting: {race: [{rate: 0.2 per day, to: " + pick("out", "s", "waiting", "critical") + "}" +
		pick("", ", {after: 1 day, to: hospital"+full()+"}") + "]}\n" +
		"  hospital: {race: [{after: {gamma: {mean: 3 days, shape: 2}}, to: r}, " +
		"{rate: 0.2 per day, move: {ward: any}" + full() + "}, {rate: 0.1 per day, to: critical" + full() + "}]}\n" +
		"  critical: {race: [{rate: 0.3 per day, to: hospital" + full() + "}, {rate: 0.1 per day, to: out, name: death}]}\n" +
		"  r: {race: [{rate: 0.1 per day, to: s, uses: doses" + full() + "}]}\n" +
		"machines:\n" +
		"  iso: {start: {free: rest}, enter: free, states: {free: {race: [{rate: 0.1 per day, to: alone, name: test" +
		pick("", ", full: asked", ", full: asked, queue: true") + "}]}, alone: {race: [{after: 2 days, to: free}]}, " +
		"asked: {race: [{rate: 0.5 per day, to: free}]}}}\n" +
		list("transmission",
			"{rate: 1 per day, link: steady, name: union}",
			"{rate: 2 per day, among: "+pick("household", "region", "old")+", link: steady}",
			"{rate: 1 per day, where: {steady: none}, link: casual, move: {region: {n: 50%, s: rest}}}",
			"{rate each: 0.02 per day, link: casual, to: {i: "+pick("out", "r", "hospital")+"}}",
			"{from: i, among: household, rate each: beta, to: {s: i}, name: meeting}",
			"{from: i, among: room, rate: beta, to: {s: hospital}"+full()+", name: meeting}",
			"{from: i, among: steady, rate each: 2 per day, to: {s: i}, self: "+pick("s", "critical", "out")+"}",
			"{from: i, among: casual, rate: beta, to: {s: i}, inherit: [home, household]}",
			"{from: i, among: ward, rate: beta, to: {hospital: critical}"+full()+"}",
			"{machine: iso, from: free, rate: 0.2 per day, to: {free: alone}"+
				pick("", ", full: asked", ", full: asked, queue: true")+"}",
			"{from: i, rate: beta, to: {s: critical}"+full()+"}",
			"{among: club, rate: 1 per day, move: {iso: free}}",
		) +
		// What would make nothing of the lists above fail: each network has links, each name is there.
		"  - {rate: 0.1 per day, link: steady}\n  - {rate: 0.1 per day, link: casual}\n" +
		"  - {from: i, rate: 0.3 per day, to: {s: i}, name: meeting}\n" +
		list("tracing",
			"{when: test, through: {household: "+chance()+", meeting: "+chance()+", steady: "+chance()+"}, back: "+
				pick("1 day", "100 days")+delay()+
				", to: {i: hospital, s: "+pick("s", "critical", "out")+"}"+full()+", name: traced}",
			"{when: hospital, through: {ward: "+chance()+", old: "+chance()+"}, back: 2 days"+delay()+
				", move: {iso: alone}, name: ring}",
			"{when: {iso: alone}, through: {room: "+chance()+"}"+delay()+", machine: iso, to: {free: alone, asked: alone}"+
				pick("", ", full: asked, queue: true")+"}",
			"{when: death, through: {household: "+chance()+", casual: "+chance()+"}, back: 3 days"+delay()+
				", to: {waiting: out, i: r}}",
			"{when: critical, through: {meeting: 100%}, back: 5 days, after: 0.5 days, to: {r: critical}, "+
				"uses: doses"+full()+"}",
		) +
		list("interventions",
			"{at: 3 days, every: 2 days, who: everyone, count: 5, to: hospital"+full()+"}",
			"{at: 4 days, who: everyone, where: {ward: any}, coverage: 50%, move: {ward: "+pick("any", "none")+"}"+full()+"}",
			"{at: 5 days, every: 3 days, who: s, count: doses, to: critical"+full()+"}",
			"{at: 6 days, enter: {hospital: 50%, i: rest}, count: 10}",
			"{at: 6 days, set: {breakup: 5 per day, lasts: 1 day, delay: 2 days, found: 100%}}",
			"{when: {waiting: above 3}, who: waiting, to: out, coverage: 50%, again: true}",
			"{at: 8 days, who: everyone, coverage: 30%, to: out}",
			"{at: 9 days, who: everyone, coverage: 50%, move: {household: "+pick("new", "none", "any")+", iso: alone}}",
		) +
		list("births", "{rate: 0.05 per day, enter: i, inherit: [home, household], name: birth}",
			"{rate: 0.02 per day, enter: {hospital: 50%, s: rest}, count: {0: 20%, 3: 80%}}") +
		"immigration: {rate: 0.5 per day, enter: {hospital: 50%, critical: 20%, s: rest}, count: 2}\n" +
		list("always", "{rate: 0.1 per day, move: {household: new}}", "{rate: 0.1 per day, move: {home: {n: 50%, s: rest}}}",
			"{rate: 0.1 per day, move: {region: home}}", "{rate: 0.02 per day, to: out, name: death}",
			"{rate: 0.1 per day, where: {ward: none}, move: {ward: any}"+full()+"}",
			"{rate: 0.05 per day, move: {ward: none, room: any}}") +
		"record: {every: 4 days, by: [region, iso], tree: {of: meeting}, people: true}\n"
}

// Places, lines, networks and tracing keep their invariants in any combination, a fork and a saved
// run go on with them, and everybody who leaves has left everything.
func TestHostileCombinations(t *testing.T) {
	for seed := range uint64(testscale.Size(5, 400)) {
		source := hostileModel(rand.New(rand.NewPCG(seed, 40)))
		m, err := population.Compile("hostile.yaml", []byte(source))
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, source)
		}
		for _, forks := range testscale.Size([]bool{seed%2 == 1}, []bool{false, true}) {
			p := begun(t, m, seed, 1)
			for time := 0.5; time <= 20; time += 0.5 {
				if err := p.Advance(t.Context(), time); err != nil {
					t.Fatalf("%d at %v: %v\n%s", seed, time, err, source)
				}
				if err := p.Check(); err != nil {
					t.Fatalf("%d at %v: %v\n%s", seed, time, err, source)
				}
				if p.Total() > 2000 {
					break
				}
				if forks && int(2*time)%10 == 7 {
					f, err := p.Fork(seed)
					if err != nil {
						t.Fatal(err)
					}
					p.Close()
					p = f
				}
			}
			p.Close()
		}
		goesOnAsBefore(t, seed, m, source)
	}
}

// goesOnAsBefore saves a run of a model and compares what follows with the whole run.
func goesOnAsBefore(t *testing.T, seed uint64, m *population.Model, source string) {
	t.Helper()
	o := population.Options{Seed: seed, Replicas: 2, Workers: 2}
	want := runBytes(t, runModel(t, m, o))
	at := 1 + float64(seed*7%18) + 0.37
	saving, err := population.Again(m, at)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state")
	if o.Save, err = saving.CreateState(path); err != nil {
		t.Fatal(err)
	}
	if _, err := saving.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := o.Save.Keep(); err != nil {
		t.Fatal(err)
	}
	s, err := population.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	on, err := s.Compile()
	if err != nil {
		t.Fatalf("%d: %v\n%s", seed, err, source)
	}
	got := runBytes(t, runModel(t, on, population.Options{Seed: seed, Replicas: 2, Workers: 1}))
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("%d: replica %d, saved at %v, goes on differently\n%s", seed, i, at, source)
		}
	}
}
