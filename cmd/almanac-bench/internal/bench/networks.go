package bench

// The models of networks: an epidemic on a configuration network, and partnerships that begin and end.
const (
	configuration = "configuration network"
	partnerships  = "partnerships"
)

// networkModel returns the file of a model of networks, or false if it is of another model. On the
// configuration network everybody has 10 links on average; of partnerships everybody has at most one.
func networkModel(name string) (string, bool) {
	switch name {
	case configuration:
		return `name: configuration
time: {unit: day, end: 60}
population: {size: 1000, start: {ill: 1%, well: rest}}
networks: {friends: {degrees: {poisson: {mean: 10}}}}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: immune}]}, immune: {}}
transmission: [{from: ill, among: friends, rate each: 0.1 per day, to: {well: ill}}]
record: {every: 60 days}
`, true
	case partnerships:
		return `name: partnerships
time: {unit: year, end: 5}
population: {size: 1000, start: {ill: 10%, well: rest}}
networks: {steady: {most: 1, ends: {rate: 0.5 per year}}}
states: {well: {}, ill: {race: [{rate: 1 per year, to: well}]}}
transmission:
  - {rate: 1 per year, link: steady}
  - {from: ill, among: steady, rate each: 4 per year, to: {well: ill}}
record: {every: 5 years}
`, true
	}
	return "", false
}
