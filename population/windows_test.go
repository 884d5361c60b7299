package population

import (
	"context"
	"reflect"
	"testing"
)

// A population is run by windows without being asked if it is large, as it would be without;
// somebody who listens gets the calendar.
func TestRunByWindows(t *testing.T) {
	m, err := Load("../examples/tuberculosis.yaml", Size(150_000), Until("1990"))
	if err != nil {
		t.Fatal(err)
	}
	var runs []*Run
	for _, o := range []Options{{Seed: 3, windows: 1 << 17}, {Seed: 3},
		{Seed: 3, windows: 1 << 17, OnEvent: func(Event) {}}} {
		result, err := m.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, &result.Runs[0])
	}
	if runs[0].Windows < 30 || runs[1].Windows+runs[2].Windows != 0 {
		t.Errorf("%d windows, %d and %d with the calendar", runs[0].Windows, runs[1].Windows, runs[2].Windows)
	}
	for _, run := range runs[1:] {
		if !reflect.DeepEqual(run.rec, runs[0].rec) || !reflect.DeepEqual(run.Peaks, runs[0].Peaks) || run.Events !=
			runs[0].Events || run.PersonYears != runs[0].PersonYears {
			t.Error("another result by windows")
		}
	}
}
