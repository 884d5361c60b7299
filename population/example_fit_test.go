package population_test

import (
	"fmt"
	"log"

	"github.com/almanac-sim/almanac/population"
)

// vanishing is a model in which individuals leave at a rate that is not known.
const vanishing = `
name: vanishing
time: {unit: day, end: 10}
population: {size: 1000, start: {here: rest}}
parameters: {rate: 0.1 per day, seen: 50%}
states: {here: {race: [{rate: rate, to: out}]}}
fit:
  data: left.csv
  unknown:
    rate: {uniform: {low: 0.01 per day, high: 1 per day}}
    seen: {beta: {a: 2, b: 2}}
  match:
    - {column: left, incidence: here->out, observed: seen, error: poisson}
`

// What is unknown, what it can be, and which columns of the table are compared with the model.
func ExampleFit() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{Unknown: []string{"rate=normal 0.1 sd 0.05 per day"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, u := range f.Unknowns {
		fmt.Println(u.Name, u.Family, u.Args, u.Unit, "from", u.Low, "to", u.High)
	}
	fmt.Println("compared with", f.Columns)
	// Output:
	// rate normal [0.1 0.05] per day from 0 to +Inf
	// seen beta [2 2]  from 0 to 1
	// compared with [left]
}

// A value of an unknown, as a file and the command line write it.
func ExampleUnknown_Value() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Unknowns[0].Value(0.25))
	fmt.Println(f.Unknowns[1].Value(0.25))
	// Output:
	// 0.25 per day
	// 25%
}

// Data have gaps, and that is said.
func ExampleObservations() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := f.Read("left.csv", []byte("time,left\n2,90\n4,NA\n6,71\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Times, d.Columns)
	fmt.Println(d.Notes[0])
	_, err = f.Read("left.csv", []byte("time,left\n2,90\n4,-3\n"))
	fmt.Println(err)
	// Output:
	// [2 4 6] [[90 NaN 71]]
	// left.csv: column left has 1 gap in line 3, which has no say
	// left.csv:3:3: left: -3 is negative; its error is poisson, which is of counts: whole numbers from 0 on
}

// The model with values of the unknowns, in the order and the units of the fit.
func ExampleFit_At() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	at, err := f.At([]float64{0.3, 0.5})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range at.Parameters() {
		fmt.Println(p.Name, p.Value)
	}
	_, err = f.At([]float64{-0.3, 0.5})
	fmt.Println(err)
	// Output:
	// rate 0.3 per day
	// seen 50%
	// --set rate: states: here: race: clock 1: rate: parameter rate, -0.3 per day: a rate cannot be negative (see line 6)
}

// The same model with other values, without reading its file again, and its text with them.
func ExampleModel_With() {
	m, err := population.Compile("vanishing.yaml", []byte("name: m\ntime: {unit: day, end: 10}\n"+
		"population: {size: 5, start: {here: rest}}\n"+
		"parameters: {rate: 0.1 per day} # why\nstates: {here: {race: [{rate: rate, to: out}]}}\n"))
	if err != nil {
		log.Fatal(err)
	}
	value := population.Parameter{Name: "rate", Value: "0.3 per day"}
	other, err := m.With(value)
	if err != nil {
		log.Fatal(err)
	}
	text, err := m.Rewrite(value)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Parameters()[0].Value, other.Parameters()[0].Value)
	fmt.Printf("%s", text)
	// Output:
	// 0.1 per day 0.3 per day
	// name: m
	// time: {unit: day, end: 10}
	// population: {size: 5, start: {here: rest}}
	// parameters: {rate: 0.3 per day} # why
	// states: {here: {race: [{rate: rate, to: out}]}}
}

// Options replace what the section fit of the file says, or add to it.
func ExampleFitOptions() {
	m, err := population.Compile("vanishing.yaml", []byte(vanishing))
	if err != nil {
		log.Fatal(err)
	}
	f, err := m.Fit(population.FitOptions{Data: "other.csv", Match: []string{"all = flow here->out poisson"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Data, f.Columns, len(f.Unknowns))
	// Output: other.csv [left all] 2
}
