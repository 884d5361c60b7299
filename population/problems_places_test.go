package population_test

import (
	"fmt"
	"strings"
)

// placesModel is a model with places, and nothing wrong with it.
const placesModel = `name: p
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
attributes: {age: {child: 20%, adult: 80%}, region: {north: 40%, south: 60%}}
places:
  household: {by: age, made of: [{share: 40%, adult: 1}, {share: 60%, adult: 2, child: 2}], alike: [region], join: new}
  school: {size: {10: 40%, 20: 60%}, where: {age: child}, join: any}
  ward: {number: 12, capacity: 3, where: {state: cared}}
states: {well: {}, ill: {race: [{after: 1 day, to: cared, full: late}]}, cared: {}, late: {}}
transmission: [{from: ill, among: household, rate each: 0.3 per day, to: {well: ill}}]
births: {rate: 0.1 per day, enter: well, inherit: [region, household]}
always: [{rate: 0.1 per day, move: {household: new}}]
`

// spoiltPlaces are wrong in places, or in what refers to them.
var spoiltPlaces = func() (all []spoilt) {
	for _, c := range []struct{ name, old, now, at, want string }{
		{"among unknown places", "among: household", "among: houshold", "houshold,",
			`transmission 1: among: there is no kind of places, network or attribute "houshold"; did you mean "household"?`},
		{"among and mixing", "among: household, rate each: 0.3",
			"mixing: {by: region, matrix: [[1, 0], [0, 1]]}, among: household, rate: 0.3",
			"household, rate", "transmission 1: both among and mixing; among says with whom"},
		{"capacity that is set", "capacity: 3, where: {state: cared}}\n", "capacity: beds, where: {state: cared}}\n" +
			"parameters: {beds: 3}\ninterventions: [{at: 1 day, set: {beds: 5}}]\n", "beds, where",
			"places: ward: capacity: an intervention sets beds; expected a number that does not change during the run"},
		{"both rates", "rate each: 0.3 per day", "rate: 1 per day, rate each: 0.3 per day", "0.3 per day",
			"transmission 1: both rate and rate each; a contact has one of them"},
		{"size without most", "rate each: 0.3 per day", "rate each: 0.3 per day / size", "size, to",
			`transmission 1: rate each: "0.3 per day / size": size may stand only in the value of a rate that has a most`},
		{"join that is missing", "school: {size: {10: 40%, 20: 60%}, where: {age: child}, join: any}",
			"school: {size: {10: 40%, 20: 60%}, where: {age: child}}", "school",
			"places: school: somebody may come to need one (births 1 does not inherit it); write join: new, " +
				"join: any or join: none"},
		{"new of a number", "capacity: 3, ", "capacity: 3, join: new, ", "new, where",
			"places: ward: join: new, but there are always 12 of them; write any or none"},
		{"alike beside a number", "capacity: 3, ", "capacity: 3, alike: [region], ", "[region], where",
			"places: ward: alike beside number: which are whose?"},
		{"size of 0", "{10: 40%, 20: 60%}", "{0: 40%, 2: 60%}", "{0: 40%",
			"places: school: size: {0: 40%, 2: 60%}: nobody would be in a place of size 0"},
		{"made of and groups", "start: {ill: 1, well: rest}}",
			"groups: [{count: 100, with: {age: adult}, start: {ill: 1, well: rest}}]}", "household: {by",
			"places: household: made of gives age, and so does population: groups 1: with; leave it to one of them"},
		{"made of and where", "join: new}", "where: {age: adult}, join: new}", "age: adult}, join",
			"places: household: where asks for age, which made of gives"},
		{"inherit without what is alike", "inherit: [region, household]", "inherit: [household]", "household]}",
			"births: inherit: household without region, in which its members are alike; write inherit: [region, household]"},
		{"no room at the start", "start: {ill: 1, well: rest}}", "start: {cared: 60, well: rest}}", "ward: {number",
			"places: ward: 60 people belong there at the start, and there is room for 36"},
		{"nothing can be full", "capacity: 3, ", "", "late}]",
			"states: ill: race: clock 1: full: ward has no number and capacity, so that nothing can be full"},
		{"nothing can be full of where somebody moves", "move: {household: new}", "move: {household: new}, full: late",
			"late}]\n", "always: clock 1: full: household has no number and capacity, so that nothing can be full"},
		{"inherit of a contact without what is alike", "to: {well: ill}}", "to: {well: ill}, inherit: [household]}",
			"household]}",
			"transmission 1: inherit: household without region, in which its members are alike; " +
				"write inherit: [region, household]"},
		{"by a kind of places", "always:", "record: {every: 1 day, by: household}\nalways:", "household}\nalways",
			"record: by: household: there may be as many as people; people.csv has a column for it"},
		{"with of a place", "enter: well, inherit", "enter: well, with: {ward: any}, inherit", "ward: any",
			"births: with: ward is a kind of places; expected an attribute or a machine"},
		{"where of a place by a place", "where: {age: child}", "where: {household: any}", "household: any",
			"places: school: where: household is a kind of places; expected an attribute or a machine"},
		{"where of places", "rate: 0.1 per day, move", "rate: 0.1 per day, where: {ward: ani}, move", "ani}, move",
			`always: clock 1: where: there is no value of ward "ani"; did you mean "any"?`},
		{"mixing by places", "among: household, rate each: 0.3", "mixing: {by: ward, matrix: [[1, 0], [0, 1]]}, rate: 0.3",
			"ward, matrix", "transmission 1: mixing: by: ward is a kind of places; expected an attribute or a machine"},
		{"size by what differs", "{10: 40%, 20: 60%}", "{by: region, north: 10, south: 20}", "{by: region, north",
			"places: school: size: a table by region, in which members may differ; write alike: [region] beside it"},
		{"size of 0 by group", "{10: 40%, 20: 60%}", "{by: age, child: 0, adult: 20}, alike: [age]", "{by: age, child: 0",
			"places: school: size: {by: age, child: 0, adult: 20}: nobody would be in a place of size 0"},
		{"cyclic alike", "where: {age: child}, join", "alike: [ward], join", "ward], join",
			"places: school: alike: ward must stand before school"},
		{"alike in itself", "where: {age: child}, join", "alike: [school], join", "school], join",
			"places: school: alike: school must stand before school"},
		{"capacity of 0", "capacity: 3", "capacity: 0", "0, where",
			"places: ward: capacity: expected at least 1"},
		{"number of 0", "number: 12", "number: 0", "0, capacity",
			"places: ward: number: expected a number from 1 to 500000000"},
		{"number of too many", "number: 12", "number: 500_000_001", "500_000_001",
			"places: ward: number: expected a number from 1 to 500000000"},
		{"too many individuals", "size: 100,", "size: 100_000_000,", "household: {by",
			"places: expected at most 33554432 individuals, who can be in places"},
		{"queue without full", "full: late", "queue: true", "true}]",
			"states: ill: race: clock 1: queue without full: in which state would they wait?"},
		{"queue of those who leave", "full: late", "full: out, queue: true", "true}]",
			"states: ill: race: clock 1: queue: who leaves the population cannot wait; expected a state after full"},
		{"queue that is neither", "full: late", "full: late, queue: yes please", "yes please",
			`states: ill: race: clock 1: queue: found "yes please", expected true or false`},
		{"full of an intervention", "always:",
			"interventions: [{at: 1 day, set: {}, enter: ill, count: 1, full: late}]\nalways:", "{at: 1 day",
			"intervention 1: full is about individuals; write who and to beside it"},
		{"queue of a contact that inherits", "to: {well: ill}}",
			"to: {well: ill}, inherit: [region], full: late, queue: true}", "late, queue",
			"transmission 1: queue beside self or inherit: when there is room the other may have changed, or left"},
		{"move to a place that is none", "move: {household: new}", "move: {household: old}", "household: old",
			"always: clock 1: move: household is a kind of places; expected new, any or none"},
	} {
		if strings.Count(placesModel, c.old) != 1 {
			panic(c.name + ": " + c.old + " is not in the model once")
		}
		source := strings.Replace(placesModel, c.old, c.now, 1)
		i := strings.Index(source, c.at)
		if i < 0 {
			panic(c.name + ": " + c.at + " is not in the model")
		}
		line := 1 + strings.Count(source[:i], "\n")
		column := i - strings.LastIndex(source[:i], "\n")
		all = append(all, spoilt{name: "places: " + c.name, source: source,
			want: fmt.Sprintf("model.yaml:%d:%d: %s", line, column, c.want)})
	}
	return all
}()
