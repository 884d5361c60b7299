package bench

// The models of places: an epidemic in households, and a ward that is nearly always full.
const (
	inHouseholds = "households"
	fullWard     = "a full ward"
)

// The numbers of individuals of these models.
const (
	bigCity  = 1_000_000
	hospital = 10_000
)

// placeModel returns the file of a model with places, or false if it is of another model.
func placeModel(name string) (string, bool) {
	switch name {
	case inHouseholds:
		return `name: households
time: {unit: day, end: 60}
population: {size: 1000, start: {infectious: 1%, susceptible: rest}}
places: {household: {size: {1: 30%, 2: 30%, 3: 15%, 4: 15%, 5: 10%}}}
states:
  susceptible: {}
  infectious: {race: [{rate: 0.2 per day, to: recovered}]}
  recovered: {}
transmission:
  - {from: infectious, among: household, rate each: 0.1 per day, to: {susceptible: infectious}}
  - {from: infectious, rate: 0.3 per day, to: {susceptible: infectious}}
record: {every: 60 days}
`, true
	case fullWard:
		return `name: ward
time: {unit: day, end: 50}
population: {size: 1000, start: {well: rest}}
places: {ward: {number: 20, capacity: 50, where: {state: cared}}}
states:
  well: {race: [{rate: 1 per day, to: cared}]}
  cared: {race: [{rate: 0.5 per day, to: well}]}
record: {every: 50 days}
`, true
	}
	return "", false
}
