package sim

import (
	"math"
	"math/rand/v2"
	"testing"
)

// course lists the changes of a timetable from one time to another, and checks that each is where it says.
func course(t *testing.T, table Timetable, from, to float64) (all []Shift) {
	t.Helper()
	for at := from; at < to; {
		units, until := table.At(at)
		if !(until > at) {
			t.Fatalf("at %v it is %d until %v", at, units, until)
		}
		if n := len(all) - 1; n >= 0 && all[n].Units == units {
			all[n].To = until
		} else {
			all = append(all, Shift{at, until, units})
		}
		at = until
	}
	return all
}

func sameCourse(t *testing.T, table Timetable, from, to float64, want ...Shift) {
	t.Helper()
	got := course(t, table, from, to)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestTimetables(t *testing.T) {
	never := math.Inf(1)
	day := Daily{Shifts: []Shift{{13, 17, 3}, {8, 12, 2}}}
	sameCourse(t, day, 0, 48, Shift{0, 8, 0}, Shift{8, 12, 2}, Shift{12, 13, 0}, Shift{13, 17, 3}, Shift{17, 32, 0}, Shift{32, 36, 2},
		Shift{36, 37, 0}, Shift{37, 41, 3}, Shift{41, 56, 0})
	sameCourse(t, day, -20, 0, Shift{-20, -16, 0}, Shift{-16, -12, 2}, Shift{-12, -11, 0}, Shift{-11, -7, 3}, Shift{-7, 8, 0})
	// Round the clock, with a night shift that begins on the day before.
	sameCourse(t, Daily{Shifts: []Shift{{6, 14, 3}, {14, 22, 2}, {22, 30, 1}}}, 0, 30, Shift{0, 6, 1}, Shift{6, 14, 3}, Shift{14, 22, 2}, Shift{22, 30, 1})
	sameCourse(t, Daily{Shifts: []Shift{{22, 46, 1}}}, 0, 30, Shift{0, never, 1})
	sameCourse(t, Daily{Shifts: []Shift{{0, 1, 2}}, Day: 2, Begins: 0.5, Otherwise: 1}, 0, 5, Shift{0, 0.5, 1}, Shift{0.5, 1.5, 2}, Shift{1.5, 2.5, 1},
		Shift{2.5, 3.5, 2}, Shift{3.5, 4.5, 1}, Shift{4.5, 5.5, 2})
	week := Weekly{Mon: []Shift{{8, 12, 2}}, Sun: []Shift{{20, 28, 1}}}
	sameCourse(t, week, 0, 168, Shift{0, 4, 1}, Shift{4, 8, 0}, Shift{8, 12, 2}, Shift{12, 164, 0}, Shift{164, 172, 1})
	dated := Dated{Shifts: []Shift{{5, 7, 0}, {7, 8, 4}}, Otherwise: 1}
	sameCourse(t, dated, -3, 9, Shift{-3, 5, 1}, Shift{5, 7, 0}, Shift{7, 8, 4}, Shift{8, never, 1})
	holiday := Except{Of: day, Times: []Shift{{24, 48, 0}, {9, 10, 5}}}
	sameCourse(t, holiday, 0, 57, Shift{0, 8, 0}, Shift{8, 9, 2}, Shift{9, 10, 5}, Shift{10, 12, 2}, Shift{12, 13, 0}, Shift{13, 17, 3}, Shift{17, 56, 0}, Shift{56, 60, 2})
	if m := holiday.Most(); m != 5 || day.Most() != 3 || week.Most() != 2 || dated.Most() != 4 {
		t.Errorf("at most %d", m)
	}
}

// However times are rounded, the end of a piece is the beginning of the next, and nothing is skipped or comes twice.
func TestTimetablesDoNotDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		day := math.Exp(8*random.Float64() - 4)
		a, b := random.Float64()*day, random.Float64()*day
		if i%2 == 0 { // up to the end of the day, so that the next begins with another number
			a, b = min(a, b), day
		}
		table := compiled(Daily{Shifts: []Shift{{min(a, b), max(a, b), 1}}, Day: day, Begins: 100 * (random.Float64() - 0.5)})
		at, last := table.(*pieces).begins+float64(random.IntN(1e6))*day, -1
		for i := range 100 {
			units, until := table.At(at)
			if units == last || !(until > at) || until > at+day {
				t.Fatalf("change %d of %v: %d units at %v until %v", i, table, units, at, until)
			}
			if again, same := table.At(math.Nextafter(until, math.Inf(-1))); again != units || same != until {
				t.Fatalf("right before %v there are %d units, not %d", until, again, units)
			}
			at, last = until, units
		}
	}
	// Where a float64 cannot tell a day from the next, nothing changes any more.
	if _, until := (Daily{Shifts: []Shift{{8, 12, 1}}}).At(1e300); !math.IsInf(until, 1) {
		t.Error(until)
	}
}

func TestWrongTimetables(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := []Shift{{1, 2, 1}}
	for what, table := range map[string]Timetable{
		"Daily: there is no shift": Daily{}, "Weekly: there is no shift": Weekly{}, "Dated: there is no shift": Dated{}, "Except: there is no shift": Except{Of: Daily{Shifts: one}},
		"Except: a timetable is needed":                      Except{Times: one},
		"Daily: a shift from NaN to 2":                       Daily{Shifts: []Shift{{nan, 2, 1}}},
		"Daily: a shift from 1 to NaN":                       Daily{Shifts: []Shift{{1, nan, 1}}},
		"Daily: a shift from -1 to 2":                        Daily{Shifts: []Shift{{-1, 2, 1}}},
		"Daily: a shift from 24 to 25":                       Daily{Shifts: []Shift{{24, 25, 1}}},
		"Daily: a shift from 3 to 28":                        Daily{Shifts: []Shift{{3, 28, 1}}},
		"Daily: a shift from 3 to 3":                         Daily{Shifts: []Shift{{3, 3, 1}}},
		"Dated: a shift from 4 to 3":                         Dated{Shifts: []Shift{{4, 3, 1}}},
		"Dated: a shift from -Inf to 3":                      Dated{Shifts: []Shift{{-inf, 3, 1}}},
		"Dated: a shift from 3 to +Inf":                      Dated{Shifts: []Shift{{3, inf, 1}}},
		"the shift from 3 to 4 has -1 units":                 Dated{Shifts: []Shift{{3, 4, -1}}},
		"-2 units outside the shifts":                        Dated{Shifts: one, Otherwise: -2},
		"a day of NaN":                                       Daily{Shifts: one, Day: nan},
		"a day of -24":                                       Weekly{Mon: one, Day: -24},
		"that begins at +Inf":                                Daily{Shifts: one, Begins: inf},
		"the shifts from 1 to 3 and from 2 to 4 overlap":     Daily{Shifts: []Shift{{2, 4, 1}, {1, 3, 1}}},
		"the shifts from 20 to 30 and from 25 to 26 overlap": Weekly{Tue: one, Mon: []Shift{{20, 30, 1}}},
		"the shift from 20 to 26 and that from 1 to 2":       Daily{Shifts: []Shift{{1, 2, 1}, {20, 26, 1}}},
	} {
		err := table.(interface{ Check() error }).Check()
		if err == nil {
			t.Errorf("%v is not refused", table)
		}
		wantPanic(t, what, func() { NewResource(New(), "desk", 1).Schedule(table) })
		wantPanic(t, what, func() { NewDoor(New(), "shop", table) })
	}
	wantPanic(t, "not nil", func() { NewResource(New(), "desk", 1).Schedule(nil) })
	wantPanic(t, "AtWork(9)", func() { NewResource(New(), "desk", 1).Schedule(Daily{Shifts: one}, AtWork(9)) })
	wantPanic(t, "another simulation", func() {
		NewResource(New(), "desk", 1).Schedule(Daily{Shifts: one}, Staying(NewDoor(New(), "shop", Daily{Shifts: one})))
	})
	wantPanic(t, "not nil", func() { Staying(nil) })
	wantPanic(t, "until a later time", func() { NewResource(New(), "desk", 1).Schedule(stuck{}) })
}

// stuck is a timetable that does not say when it changes.
type stuck struct{}

func (stuck) At(t float64) (int, float64) { return 1, t }
func (stuck) Most() int                   { return 1 }
