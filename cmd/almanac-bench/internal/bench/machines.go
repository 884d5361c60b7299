package bench

import (
	"fmt"
	"strings"
)

// The models of one machine and of three, whose clocks go at a rate or have a memory.
const (
	oneMachine         = "one machine, rates"
	threeMachines      = "three machines, rates"
	oneMachineGamma    = "one machine, gamma"
	threeMachinesGamma = "three machines, gamma"
)

// machinePairs are the models that are compared: an event with three machines, and with one.
func machinePairs() [][2]string {
	return [][2]string{{threeMachines, oneMachine}, {threeMachinesGamma, oneMachineGamma}}
}

// machineModel returns the file of a model of machines, or false if it is of another model. Each
// machine goes to and fro between two states. That of one machine goes three times as fast, so that
// both models have as many events: three for each individual and day, for five days.
func machineModel(name string) (string, bool) {
	number, perDay := 3, 1
	switch name {
	case threeMachines, threeMachinesGamma:
	case oneMachine, oneMachineGamma:
		number, perDay = 1, 3
	default:
		return "", false
	}
	when := fmt.Sprintf("rate: %d per day", perDay)
	if name == oneMachineGamma || name == threeMachinesGamma {
		when = fmt.Sprintf("after: {gamma: {mean: %d hours, shape: 2}}", 24/perDay)
	}
	var text strings.Builder
	text.WriteString("name: machines\ntime: {unit: day, end: 5}\npopulation: {size: 1000, start: {alive: rest}}\n" +
		"states: {alive: {}}\nmachines:\n")
	for i := range number {
		fmt.Fprintf(&text, "  m%d: {start: {a: 50%%, b: rest}, states: {a: {race: [{%s, to: b}]}, "+
			"b: {race: [{%[2]s, to: a}]}}}\n", i+1, when)
	}
	return text.String() + "record: {every: 5 days}\n", true
}

// judgeMachines compares an event with three machines with one of a single machine.
func judgeMachines(at func(structure, workload string, cores int) (Result, bool), j *judge) {
	for _, pair := range machinePairs() {
		three, has := at(pair[0], wholeRun, 1)
		if one, have := at(pair[1], wholeRun, 1); has && have && one.Ops > 0 {
			j.add(Target{What: "an event with " + pair[0] + ", over one with a single machine", Limit: 1.3,
				Value:  three.event() / one.event(),
				Detail: fmt.Sprintf("%.0f and %.0f ns", 1e9*three.event(), 1e9*one.event())})
		}
	}
}
