package population_test

import "strings"

// machinesModel is a model with a machine, and nothing wrong with it.
const machinesModel = `name: p
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {ill: 1, well: rest}}
attributes: {region: {north: 40%, south: 60%}, home: {south: 40%, north: 60%}}
states: {well: {}, ill: {race: [{rate: 1 per day, to: well}]}}
machines:
  hiv:
    start: {positive: 5%, negative: rest}
    enter: negative
    states: {negative: {}, positive: {race: [{rate: 0.1 per day, to: out}]}}
births: {rate: 0.1 per day, enter: well}
transmission:
  - {from: ill, rate: 1 per day, to: {well: ill}}
  - {machine: hiv, from: positive, rate: 1 per day, to: {negative: positive}}
record: {every: 1 day, by: [hiv]}
`

// spoiltMachines are wrong in machines, or in what moves give.
var spoiltMachines = func() (all []spoilt) {
	for _, c := range []struct {
		name string
		swap []string
		want string
	}{
		{"machine share without percent", []string{"positive: 5%", "positive: 0.3"},
			"model.yaml:8:23: machines: hiv: start: positive: 0.3 is neither a number of people nor a " +
				"percentage; write 30%, or a whole number"},
		{"nothing says how one enters a machine", []string{"    enter: negative\n", ""},
			"model.yaml:7:3: machines: hiv: somebody may enter (births 1), and nothing says in which state; " +
				"write enter: negative, or with or inherit there"},
		{"state of a machine in a contact", []string{
			"{machine: hiv, from: positive, rate: 1 per day, to: {negative: positive}}",
			"{from: positive, rate: 1 per day, to: {well: ill}}",
		},
			"model.yaml:14:12: transmission 2: from: there is no state \"positive\" under states; machine hiv " +
				"has one: write machine: hiv"},
		{"machine with the name of an attribute", []string{
			"  hiv:\n", "  region:\n",
			"machine: hiv, from: positive", "from: ill",
			"to: {negative: positive}", "to: {well: ill}",
			", by: [hiv]", "",
		},
			"model.yaml:7:3: machines: region: there is an attribute of that name; names are given once"},
		{"record by state", []string{"by: [hiv]", "by: [state]"},
			"model.yaml:15:29: record: by: state: states are recorded anyway"},
		{"record by state and more", []string{"by: [hiv]", "by: [hiv, [state, region]]"},
			"model.yaml:15:35: record: by: state: states are recorded anyway"},
		{"machine called state", []string{
			"  hiv:\n", "  state:\n",
			"machine: hiv, from: positive", "from: ill",
			"to: {negative: positive}", "to: {well: ill}",
			", by: [hiv]", "",
		},
			"model.yaml:7:3: machines: state: state means what stands under states; expected another name"},
		{"more in a machine than there are", []string{"positive: 5%", "positive: 500"},
			"model.yaml:8:12: machines: hiv: start: 500 individuals are more than the 100 there are"},
		{"some in no state of a machine", []string{"positive: 5%, negative: rest", "positive: 5"},
			"model.yaml:8:12: machines: hiv: start: 5 of 100 individuals; give one state the rest, as in " +
				"negative: rest"},
		{"machine shares below one", []string{
			"positive: 5%, negative: rest", "positive: 5%, negative: 80%",
		},
			"model.yaml:8:12: machines: hiv: start: the shares add up to 0.85, expected 1; or write rest for " +
				"one state"},
		{"machine start in days", []string{"positive: 5%", "positive: 5 days"},
			"model.yaml:8:23: machines: hiv: start: positive: found \"5 days\", expected a whole number of " +
				"individuals, a percentage, a parameter, or rest"},
		{"machine start with a fraction", []string{"positive: 5%", "positive: 1.5"},
			"model.yaml:8:23: machines: hiv: start: positive: found \"1.5\", expected a whole number of " +
				"individuals, a percentage, a parameter, or rest"},
		{"machine start of an unknown state", []string{"positive: 5%", "posit: 5%"},
			"model.yaml:8:13: machines: hiv: start: there is no state of hiv \"posit\"; expected one of " +
				"negative, positive"},
		{"machine start with two rests", []string{
			"positive: 5%, negative: rest", "positive: rest, negative: rest",
		},
			"model.yaml:8:29: machines: hiv: start: a second rest; only one value can have what is left over"},
		{"machine start by itself", []string{
			"positive: 5%", "positive: {by: hiv, positive: 10%, negative: 3%}",
		},
			"model.yaml:8:23: machines: hiv: start: positive: a table by hiv, which is not known yet when this " +
				"is drawn; expected a table by something that comes before it"},
		{"machine since a clock has fired", []string{
			"positive: 5%", "positive: {share: 5%, since: 30 days}",
			"rate: 0.1 per day, to: out", "after: 20 days, to: out",
		},
			"model.yaml:8:42: machines: hiv: start: positive: since: it is 30 days, but a clock of " +
				"hiv=positive has fired by 20 days"},
		{"machine share and count", []string{"positive: 5%", "positive: {share: 5%, count: 3}"},
			"model.yaml:8:42: machines: hiv: start: positive: both share and count; write one of them"},
		{"machine since without a number", []string{"positive: 5%", "positive: {since: 3 days}"},
			"model.yaml:8:23: machines: hiv: start: positive: how many? Write share: 5%, share: rest or count: " +
				"50, for example"},
		{"machine without start", []string{"    start: {positive: 5%, negative: rest}\n", ""},
			"model.yaml:8:5: machines: hiv: \"start\" is missing; write start: {positive: 5%, negative: rest}, " +
				"for example"},
		{"machine without states", []string{
			"{negative: {}, positive: {race: [{rate: 0.1 per day, to: out}]}}", "{}",
		},
			"model.yaml:10:13: machines: hiv: states: expected at least one state, such as negative: {}"},
		{"machine key", []string{"enter: negative", "entr: negative"},
			"model.yaml:9:5: machines: hiv: there is no key \"entr\"; did you mean \"enter\"?"},
		{"entering a machine as out", []string{"enter: negative", "enter: out"},
			"model.yaml:9:12: machines: hiv: enter: expected a state of hiv; out is for leaving the population"},
		{"entering a machine with shares below one", []string{
			"enter: negative", "enter: {positive: 50%}",
		},
			"model.yaml:9:12: machines: hiv: enter: the shares add up to 0.5, expected 1; or write rest for " +
				"one state"},
		{"clock of a machine to a state of states", []string{"to: out", "to: well"},
			"model.yaml:10:70: machines: hiv: positive: race: clock 1: to: there is no state of hiv \"well\"; " +
				"expected one of negative, positive"},
		{"unknown machine in a contact", []string{"machine: hiv, from", "machine: hvi, from"},
			"model.yaml:14:15: transmission 2: machine: there is no machine \"hvi\"; did you mean \"hiv\"?"},
		{"contact of a machine to a state of states", []string{
			"to: {negative: positive}", "to: {negative: ill}",
		},
			"model.yaml:14:68: transmission 2: to: negative: there is no state of hiv \"ill\"; expected one of " +
				"negative, positive"},
		{"contact without from and to", []string{
			"machine: hiv, from: positive, rate: 1 per day, to: {negative: positive}", "rate: 1 per day",
		},
			"model.yaml:14:5: transmission 2: \"from\" is missing; write from: infectious, for " +
				"example\nmodel.yaml:14:5: transmission 2: \"to\" is missing; write to: {susceptible: infectious}, " +
				"for example"},
		{"entry state by a machine", []string{
			"enter: well", "enter: {well: {by: hiv, positive: 1, other: 50%}, ill: rest}",
		},
			"model.yaml:11:43: births: enter: a table by hiv, which is not known yet when this is drawn; " +
				"expected a table by something that comes before it"},
		{"entry state by state", []string{
			"enter: well", "enter: {well: {by: state, well: 5%, other: 50%}, ill: rest}",
		},
			"model.yaml:11:43: births: enter: a table by state, which is not known yet when this is drawn; " +
				"expected a table by something that comes before it"},
		{"age by a machine", []string{
			"size: 100,", "size: 100, age: {by: hiv, positive: 3 days, negative: 1 day},",
		},
			"model.yaml:3:30: population: age: a table by hiv, which is not known yet when this is drawn; " +
				"expected a table by something that comes before it"},
		{"move of the state", []string{"to: {well: ill}", "to: {well: ill}, move: {state: well}"},
			"model.yaml:13:58: transmission 1: move: state is not an attribute; write to: and the state, or " +
				"enter: for those who enter"},
		{"inheriting the state", []string{"to: {well: ill}", "to: {well: ill}, inherit: [state]"},
			"model.yaml:13:61: transmission 1: inherit: state is not an attribute; write to: and the state, or " +
				"enter: for those who enter"},
		{"entering with a state", []string{"enter: well", "enter: well, with: {state: ill}"},
			"model.yaml:11:49: births: with: state is not an attribute; write to: and the state, or enter: for " +
				"those who enter"},
		{"copy of another kind", []string{"to: {well: ill}", "to: {well: ill}, move: {region: hiv}"},
			"model.yaml:13:66: transmission 1: move: region: hiv has the value negative, which region has not"},
		{"copy of what is a value, too", []string{"to: {well: ill}", "to: {well: ill}, move: {hiv: region}",
			"{negative: {}", "{region: {}, negative: {}"},
			"model.yaml:13:63: transmission 1: move: hiv: \"region\" is a value and an attribute; rename one"},
		{"move of a machine to a value of another", []string{
			"to: {well: ill}", "to: {well: ill}, move: {hiv: north}",
		},
			"model.yaml:13:63: transmission 1: move: there is no value of hiv \"north\"; expected one of " +
				"negative, positive"},
		{"move by a table with a gap", []string{
			"to: {well: ill}", "to: {well: ill}, move: {region: {by: hiv, positive: south}}",
		},
			"model.yaml:13:71: transmission 1: move: there is nothing for hiv negative; write negative: and " +
				"what holds for it, or other: for all that are not named"},
		{"move by a table with a wrong value", []string{
			"to: {well: ill}", "to: {well: ill}, move: {region: {by: hiv, positive: south, negativ: north, " +
				"other: south}}",
		},
			"model.yaml:13:93: transmission 1: move: there is no value of hiv \"negativ\"; did you mean " +
				"\"negative\"?"},
		{"move by an unknown attribute", []string{
			"to: {well: ill}", "to: {well: ill}, move: {region: {by: hvi, other: south}}",
		},
			"model.yaml:13:71: transmission 1: move: by: there is no attribute \"hvi\"; did you mean \"hiv\"?"},
		{"move with shares above one", []string{
			"to: {well: ill}", "to: {well: ill}, move: {region: {south: 80%, north: 30%}}",
		},
			"model.yaml:13:66: transmission 1: move: the shares add up to 1.1, expected 1; or write rest for " +
				"one state"},
		{"move with shares of another", []string{
			"to: {well: ill}", "to: {well: ill}, move: {region: {south: 80%, positive: rest}}",
		},
			"model.yaml:13:79: transmission 1: move: there is no value of region \"positive\"; expected one of " +
				"north, south"},
		{"entering with a table", []string{
			"enter: well", "enter: well, with: {hiv: {by: region, north: positive, south: negative}}",
		},
			"model.yaml:11:54: births: with: hiv: a table; expected a value, or shares such as {negative: 40%, " +
				"positive: rest}"},
		{"entering with shares by what comes later", []string{
			"enter: well", "enter: well, with: {region: {north: {by: home, north: 10%, south: 20%}, south: " +
				"rest}}",
		},
			"model.yaml:11:65: births: with: north: a table by home, which is not known yet when this is " +
				"drawn; expected a table by something that comes before it"},
		{"condition on an unknown state of a machine", []string{
			"record:", "interventions: [{when: {hiv=postive: above 5}, who: ill, to: well}]\nrecord:",
		},
			"model.yaml:15:25: intervention 1: when: there is no state \"hiv=postive\"; did you mean " +
				"\"hiv=positive\"?"},
		{"condition in a state", []string{
			"record:", "interventions: [{when: {ill: above 5, where: {state: ill}}, who: ill, to: " +
				"well}]\nrecord:",
		},
			"model.yaml:15:47: intervention 1: when: where: a condition is about a state already; expected an " +
				"attribute or a machine"},
		{"count of an unknown state of a machine", []string{
			"rate: 1 per day, to: well", "rate: {value: 0.1 per day * count(hiv=none), most: 1 per day}, to: well",
		},
			"model.yaml:5:68: states: ill: race: clock 1: rate: value: count: there is no state \"hiv=none\"; " +
				"expected one of well, ill, hiv=negative, hiv=positive"},
	} {
		text := machinesModel
		for i := 0; i < len(c.swap); i += 2 {
			if strings.Count(text, c.swap[i]) != 1 {
				panic(c.name + ": " + c.swap[i] + " is not in the model once")
			}
			text = strings.Replace(text, c.swap[i], c.swap[i+1], 1)
		}
		all = append(all, spoilt{name: c.name, source: text, want: c.want})
	}
	return all
}()
