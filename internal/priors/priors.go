// Package priors is the table of the distributions that an unknown parameter can have as a prior:
// their names, arguments and examples. What they compute is in package fit.
//
// To add one, append it to Families, and a shape of the same place in fit/prior.go; the compiler of
// Go does not notice if the two differ.
package priors

import "slices"

// A Family is a kind of distribution, as it is written in a model file and on the command line.
type Family struct {
	Name string
	Args []string
	Own  int    // so many of the arguments, the first ones, have the dimension of the parameter
	Like string // an example of the arguments in a model file
	Line string // the same example on the command line
}

// Families has all families. Package fit knows them by their place, and messages list them in this
// order.
var Families = []Family{
	{"uniform", []string{"low", "high"}, 2, "{low: 0.1 per day, high: 1 per day}", "uniform 0.1..1 per day"},
	{"log-uniform", []string{"low", "high"}, 2, "{low: 0.01 per day, high: 1 per day}", "log-uniform 0.01..1 per day"},
	{"normal", []string{"mean", "sd"}, 2, "{mean: 0.5 per day, sd: 0.1 per day}", "normal 0.5 sd 0.1 per day"},
	{"lognormal", []string{"mean", "sd"}, 2, "{mean: 5 days, sd: 2 days}", "lognormal 5 sd 2 days"},
	{"gamma", []string{"mean", "shape"}, 1, "{mean: 5 days, shape: 2}", "gamma 5 days shape 2"},
	{"beta", []string{"a", "b"}, 0, "{a: 2, b: 5}", "beta 2 5"},
	{"exponential", []string{"mean"}, 1, "{mean: 5 days}", "exponential 5 days"},
	{"weibull", []string{"scale", "shape"}, 1, "{scale: 5 days, shape: 2}", "weibull 5 days shape 2"},
}

// Range reports whether the arguments are the ends of a range, low..high on the command line.
func (f *Family) Range() bool { return f.Args[0] == "low" }

// Index returns the index in Families of the family with a name, -1 if there is none.
func Index(name string) int {
	return slices.IndexFunc(Families, func(f Family) bool { return f.Name == name })
}

// Named returns the family with a name, nil if there is none.
func Named(name string) *Family {
	if i := Index(name); i >= 0 {
		return &Families[i]
	}
	return nil
}

// Names returns the names of all families.
func Names() (names []string) {
	for _, f := range Families {
		names = append(names, f.Name)
	}
	return names
}
