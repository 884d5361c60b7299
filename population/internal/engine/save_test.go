package engine

import (
	"reflect"
	"strings"
	"testing"
)

// TestEveryFieldIsSaved fails if a run has a field that is neither saved nor known to need no
// saving: a piece of state that the file does not have would be lost.
func TestEveryFieldIsSaved(t *testing.T) {
	saved := "seed Index phase Now end words stride attributes entered numbers firstID Used slotCount free sparse " +
		"shared sparseTimers origins groups living Alive Counts Flows Named Events Peaks personTime ByGroup outcomes " +
		"carriedOut waiting branches Supplies cameIn own sizeClass arrivals near places lines " +
		"networks linksID tracing errandsID observers"
	rebuilt := "Program Queue windows capacity caching stateCache offset columnAt packedAlways packedState limit pace " +
		"prefetchAhead foreseen contactsSeen intervalsLeft Windows followed"
	// Of one event, of how the run is carried out, or memory that is used again.
	passing := "underway dealt toStart passed changing machineBefore whom ties budget taken granted failed OnEvent " +
		"event forkable sparseRule windowRule layoutOf Patience prefetchFrom setupFrom cores alwaysBefore weights " +
		"dealtStates dealtValues OnInfection OnPerson"
	known := map[string]bool{}
	for _, name := range strings.Fields(saved + " " + rebuilt + " " + passing) {
		known[name] = true
	}
	found := map[string]bool{}
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			if f.Anonymous {
				look(f.Type)
				continue
			}
			found[f.Name] = true
			if !known[f.Name] {
				t.Errorf("%s.%s is in no part of a saved state: add it to one of savedParts, or make Unsavable refuse models "+
					"that have it, and name it here", of.Name(), f.Name)
			}
		}
	}
	look(reflect.TypeFor[Run]())
	for name := range known {
		if !found[name] {
			t.Errorf("a run has no field %s any more", name)
		}
	}
	for of, fields := range map[reflect.Type]string{
		reflect.TypeFor[waiting]():      "on changed counted held since struck fired done due number windows wake",
		reflect.TypeFor[window]():       "times newest seen",
		reflect.TypeFor[Tally]():        "Counts Flows Named",
		reflect.TypeFor[groupTallies](): "groupings states Groups watched totals",
		reflect.TypeFor[outcomes]():     "slots time events states clock at ticks own",
		reflect.TypeFor[Supply]():       "Left Used Lost Refused",
		reflect.TypeFor[Recording]():    "Rows All Groups Values Chances Supplies Places Queues Networks",
		reflect.TypeFor[RowCounts]():    "Counts Flows Named Outcomes Times Seen Expected",
		reflect.TypeFor[timerOrigin]():  "law began",
		reflect.TypeFor[status]():       "state sparse branch held flags checkpoint",
	} {
		var names []string
		for i := range of.NumField() {
			names = append(names, of.Field(i).Name)
		}
		if got := strings.Join(names, " "); got != fields {
			t.Errorf("%s has the fields %s, and %s are saved or rebuilt", of.Name(), got, fields)
		}
	}
}
