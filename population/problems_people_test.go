package population_test

// spoiltPeople are wrong in who is there, who comes, and what is planned.
var spoiltPeople = []spoilt{
	// Lifetimes.
	{name: "gompertz without growth", swap: []string{"after: 3 days", "after: {gompertz: {rate: 0.01 per year}}"},
		want: "model.yaml:16:41: states: latent: split: clock 1: after: gompertz: \"growth\" is missing; write gompertz: {rate: 0.00005 per year, growth: 0.09 per year}, for example"},
	{name: "gompertz of rate 0", swap: []string{"after: 3 days", "after: {gompertz: {rate: 0 per year, growth: 0.1 per year}}"},
		want: "model.yaml:16:48: states: latent: split: clock 1: after: gompertz: rate: 0 per year: expected a rate above 0"},
	{name: "gompertz with a makeham below 0", swap: []string{"after: 3 days", "after: {gompertz: {rate: 0.1 per year, growth: -0.1 per year, makeham: -1 per day}}"},
		want: "model.yaml:16:94: states: latent: split: clock 1: after: gompertz: makeham: -1 per day: a rate cannot be negative"},
	{name: "gompertz with a growth in days", swap: []string{"after: 3 days", "after: {gompertz: {rate: 0.1 per year, growth: 3 days}}"},
		want: "model.yaml:16:70: states: latent: split: clock 1: after: gompertz: growth: 3 days is a duration; expected a rate such as 0.5 per day"},
	{name: "gompertz beyond numbers", swap: []string{"after: 3 days", "after: {gompertz: {rate: 1e-200 per day, growth: 1e200 per day}}"},
		want: "model.yaml:16:30: states: latent: split: clock 1: after: gompertz: its arguments are too large or too small to work with"},
	{name: "ages that may have no end", swap: []string{"size: 1000", "size: 1000\n  age: {gompertz: {rate: 0.1 per year, growth: -0.1 per year}}"},
		want: "model.yaml:5:8: population: age: a hazard whose growth is negative may have no end, but an age must have one"},
}
