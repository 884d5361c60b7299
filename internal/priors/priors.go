// Package priors lists the families of distributions that an unknown parameter can have beforehand.
package priors

import "slices"

// A Family is a kind of distribution.
type Family struct {
	Name string
	Args []string
	Own  int    // this many arguments, from the first, have the dimension of the parameter
	Like string // an example of its arguments in a model file
	Line string // an example of it on the command line
}

// Families are all of them.
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

// Range reports whether the arguments are the ends of a range, which is written low..high on one line.
func (f *Family) Range() bool { return f.Args[0] == "low" }

// Index is the place of a family among Families; -1 if there is none of that name.
func Index(name string) int {
	return slices.IndexFunc(Families, func(f Family) bool { return f.Name == name })
}

// Named is the family of a name; nil if there is none.
func Named(name string) *Family {
	if i := Index(name); i >= 0 {
		return &Families[i]
	}
	return nil
}

// Names are the names of all families.
func Names() (names []string) {
	for _, f := range Families {
		names = append(names, f.Name)
	}
	return names
}
