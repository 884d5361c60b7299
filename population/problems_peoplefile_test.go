package population_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// fileModel is a model with people from a file, and nothing wrong with either.
const fileModel = `name: p
time: {unit: day, start: 0, end: 10}
population:
  people: {file: people.csv, columns: {id: uid}, ignore: [note]}
  start: {well: rest}
attributes:
  home: {north: 40%, south: 60%}
  age: {child: 20%, adult: 80%}
  band: {age: {young: 0 years, old: 60 years}}
  activity: {number: {gamma: {mean: 1, shape: 2}}}
places:
  household: {alike: [home], capacity: 3, join: none}
  ward: {number: 2}
states: {well: {}, ill: {race: [{after: 5 days, to: well}]}, cared: {}}
machines: {hiv: {start: {no: rest}, states: {no: {}, yes: {race: [{after: 2 days, to: no}]}}}}
transmission: [{from: ill, among: household, rate each: activity * 1 per day, to: {well: ill}}]
always: [{after: 80 years, to: out}]
`

const fileOfModel = `uid,age,home,household,ward,state,since,hiv,since hiv,activity,age in years,note
ann,child,north,a,,ill,1,,,0.5,7,x
bob,adult,north,a,one,,,yes,1.5,,30,x
cid,,south,b,two,,,,,,,x
`

// Problems with files of people have the place in the file, or in the model.
func TestProblemsOfPeopleFiles(t *testing.T) {
	t.Parallel()
	type changed = []string
	long := strings.Repeat("x", 2<<20)
	for _, c := range []struct {
		name        string
		model, file changed // what is replaced, in pairs
		want        string
	}{
		{"unknown column", nil, changed{",home,", ",hoem,"},
			`people.csv:1:9: there is no attribute, machine or kind of places "hoem"; ` +
				`did you mean "home"? Name it in columns, or in ignore`},
		{"column that is not meant", changed{"ignore: [note]", "ignore: []"}, nil,
			`people.csv:1:77: there is no attribute, machine or kind of places "note"; name it in columns, or in ignore`},
		{"columns that are not meant", nil, changed{",note", ",a b,Null,\"say \"\"x\"\"\",größe,"},
			"people.csv:1:77: there is no attribute, machine or kind of places for 5 columns; name those that are one in " +
				`columns, and leave out the others with ignore: [note, "a b", "Null", "say \"x\"", größe, ""]`},
		{"value that is none", nil, changed{"bob,adult", "bob,adlut"},
			`people.csv:3:5: age: "adlut" is none of child, adult; write one of these in the file`},
		{"state that is none", nil, changed{",ill,", ",il,"},
			`people.csv:2:20: state: "il" is none of well, ill, cared; write one of these in the file`},
		{"id twice", nil, changed{"cid,", "ann,"}, `people.csv:4:1: the id "ann" is in line 2 already`},
		{"size", changed{"  start", "  size: 3\n  start"}, nil,
			"model.yaml:5:9: population: both people and size; there are as many as rows"},
		{"groups", changed{"start: {well: rest}", "groups: [{share: 100%, start: {well: rest}}]"}, nil,
			"model.yaml:5:11: population: both people and groups; there are as many as rows"},
		{"negative time", nil, changed{",ill,1,", ",ill,-1,"}, "people.csv:2:24: since: -1 is negative"},
		{"time that is none", nil, changed{",ill,1,", ",ill,long,"},
			`people.csv:2:24: since: found "long", expected a number of days`},
		{"age that is none", nil, changed{"0.5,7,x", "0.5,old,x"},
			`people.csv:2:32: age in years: found "old", expected a number of years`},
		{"number that is none", nil, changed{"0.5,7,x", "much,7,x"},
			`people.csv:2:28: activity: found "much", expected a number`},
		{"since nothing", nil, changed{"two,,,", "two,,3,"}, "people.csv:4:19: since: since what? The state is empty"},
		{"since no state of a machine", nil, changed{"two,,,,,", "two,,,,3,"},
			"people.csv:4:21: since hiv: since what? hiv is empty"},
		{"since too long", nil, changed{",ill,1,", ",ill,6,"},
			"people.csv:2:1: since: it is 6 days, but a clock of ill has fired by 5 days"},
		{"since too long in a machine", nil, changed{"yes,1.5", "yes,2.5"},
			"people.csv:3:1: since hiv: it is 2.5 days, but a clock of hiv=yes has fired by 2 days"},
		{"too old", nil, changed{",30,x", ",81,x"},
			"people.csv:3:1: age in years: ages reach 29585.2 days, but a clock of always ends every life by 29220 days"},
		{"negative number", nil, changed{"0.5,7,x", "-0.5,7,x"},
			"model.yaml:16:57: transmission 1: rate each: activity: a given number is below 0; give it least: 0, " +
				"or take another"},
		{"follows the age", nil, changed{",note\n", ",band\n"},
			"people.csv:1:77: band follows the age; nothing else can give it; name the column in ignore"},
		{"column twice", nil, changed{"uid,age,home", "uid,age,age"}, `people.csv:1:9: a second column "age"; expected one`},
		{"column without a name", nil, changed{",note\n", ",\n"},
			`people.csv:1:77: a column without a name; write "" in ignore, or give it a name`},
		{"column that is called otherwise", nil, changed{",note\n", ",id\n"},
			`people.csv:1:77: columns says that id is "uid"; name this one in ignore`},
		{"column that is not there", changed{"{id: uid}", "{id: uuid}"}, nil,
			"model.yaml:4:40: population: people: columns: id: people.csv: there is no column \"uuid\"; did you mean \"uid\"?"},
		{"column of nothing", changed{"{id: uid}", "{id: uid, houshold: hh}"}, nil,
			`model.yaml:4:49: population: people: columns: houshold: there is no attribute, machine or kind of places ` +
				`"houshold"; did you mean "household"?`},
		{"short row", nil, changed{"b,two,,,,,,,x", "b,two"},
			"people.csv:4:1: 5 values here, and 12 names of columns; expected the same"},
		{"zero byte", nil, changed{"cid", "c\x00d"}, "people.csv:4:2: a zero byte; this is not a text"},
		{"long row", nil, changed{"cid", long}, "people.csv:4:1: a row of more than 1024 kB; this is not a table"},
		{"many columns", nil, changed{"uid,", "uid," + strings.Repeat(",", 20_000)},
			"people.csv:1:1: more than 10000 columns; this is not a table of people or links"},
		{"quote without end", nil, changed{"cid", "\"cid"}, "people.csv:4:1: a quote that does not end"},
		{"text after a quote", nil, changed{"cid", "\"cid\"s"}, "people.csv:4:6: text after a quote; expected a comma"},
		{"UTF-16", nil, changed{"uid", "\xff\xfeuid"}, "people.csv:1:1: this is UTF-16; expected a text in UTF-8"},
		{"another region in a household", nil, changed{"north,a,one", "south,a,one"},
			"people.csv:3:1: household: another home than in line 2, and those in the same household are alike in it"},
		{"no region in a household", nil, changed{"north,a,one", ",a,one"},
			"people.csv:3:1: household: home is empty, and those in the same household are alike in it"},
		{"full household", changed{"capacity: 3", "capacity: 1"}, nil,
			"people.csv:3:1: household: the place of line 2 has more people than its capacity, 1"},
		{"too many wards", changed{"number: 2", "number: 1"}, nil,
			"model.yaml:13:18: places: ward: number: 1, but people.csv names 2 places"},
		{"size and a column", changed{"household: {alike", "household: {size: 3, alike"}, nil,
			"model.yaml:12:21: places: household: both size and a column of people.csv; leave it to one of them"},
		{"neither size nor a column", changed{"ward: {number: 2}", "ward: {}"}, changed{",ward,", ",note,"},
			"model.yaml:13:3: places: ward: how many are in a place? Write size, by and made of, or number; " +
				"people.csv has no column for it"},
		{"made of and a column", changed{"ward: {number: 2}", "ward: {by: age, made of: [{share: 100%, adult: 2}]}"},
			changed{",ward,", ",note,"},
			"model.yaml:13:3: places: ward: made of gives age, and so does population: people; leave it to one of them"},
		{"too few without a state", changed{"{well: rest}", "{ill: 3, well: rest}"}, nil,
			"model.yaml:5:10: population: start: 3 individuals are more than those whose state the file of people " +
				"leaves empty, 2"},
		{"no start", changed{"  start: {well: rest}\n", ""}, nil,
			"people.csv:3:1: the state of 2 people is empty; say what it is, as in start: {well: rest}"},
		{"count of an id", nil, changed{",note\n", ",count\n", "7,x", "7,2", "30,x", "30,", ",x\n", ",0\n"},
			"people.csv:2:34: count: 2 of the id \"ann\"; an id is of one person\n" +
				"people.csv:4:24: count: 0 of the id \"cid\"; an id is of one person"},
		{"count that is none", nil, changed{",note\n", ",count\n", "7,x", "7,1.5", ",x\n", ",\n"},
			`people.csv:2:34: count: found "1.5", expected a whole number of people, from 0 to 4000000000`},
		{"more people than memory", nil, changed{",note\n", ",count\n", "ann,", ",", "7,x", "7,4e9", ",x\n", ",\n"},
			"people.csv:2:1: more people than fit into memory: the table of 4000000000 would take "},
		{"empty file", nil, changed{fileOfModel, ""},
			"people.csv:1:1: the file is empty; expected a line with the names of the columns"},
		{"no file", changed{"people.csv", "persons.csv"}, nil,
			`model.yaml:4:18: population: people: file: "persons.csv": file does not exist`},
	} {
		replace := func(text string, swap changed) string {
			for i := 0; i < len(swap); i += 2 {
				if !strings.Contains(text, swap[i]) {
					t.Fatalf("%s: %q is not there", c.name, swap[i])
				}
				n := 1
				if swap[i] == ",x\n" {
					n = -1
				}
				text = strings.Replace(text, swap[i], swap[i+1], n)
			}
			return text
		}
		if strconv.IntSize == 32 {
			if c.name == "more people than memory" {
				continue // there cannot be so many
			}
			c.want = fewer.Replace(c.want)
		}
		_, err := population.Compile("model.yaml", []byte(replace(fileModel, c.model)),
			files(map[string]string{"people.csv": replace(fileOfModel, c.file)}))
		switch {
		case err == nil:
			t.Errorf("%s: it compiles, want\n%s", c.name, c.want)
		case strings.HasSuffix(c.want, " ") && strings.HasPrefix(err.Error(), c.want):
		case err.Error() != c.want:
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, err, c.want)
		}
	}
	_, err := population.Compile("model.yaml", []byte(fileModel), files(map[string]string{"people.csv": fileOfModel}))
	if err != nil {
		t.Error(err)
	}
	_, err = population.Compile("model.yaml", []byte(fileModel), files(map[string]string{"people.csv": fileOfModel}),
		population.Size(7))
	if err == nil || err.Error() != "--size: population: both people and size; there are as many as rows" {
		t.Errorf("--size: %v", err)
	}
}

// A compressed file that ends too early is refused, and so is one that is compressed twice as
// nothing.
func TestBrokenCompression(t *testing.T) {
	t.Parallel()
	whole := zipped(fileOfModel)
	for cut, want := range map[int]string{
		len(whole) - 9: "it cannot be read any further: unexpected EOF",
		5:              "it cannot be decompressed",
	} {
		_, err := population.Compile("model.yaml", []byte(fileModel), files(map[string]string{"people.csv": whole[:cut]}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
	bomb := zipped(string(bytes.Repeat([]byte{'x'}, 1<<23))) // one row of 8 MB
	_, err := population.Compile("model.yaml", []byte(fileModel), files(map[string]string{"people.csv": bomb}))
	if err == nil || !strings.Contains(err.Error(), "a row of more than 1024 kB") {
		t.Errorf("%v", err)
	}
}

// Problems with attributes that begin as another.
func TestProblemsOfSameAs(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"{same as: later}": "model.yaml:5:57: attributes: region: same as: later stands after it",
		"{same as: hoem}": `model.yaml:5:57: attributes: region: same as: there is no attribute "hoem"; ` +
			`did you mean "home"?`,
		"{same as: region}": "model.yaml:5:57: attributes: region: same as: region is this attribute itself",
		"{same as: x}": "model.yaml:5:57: attributes: region: same as: x is a number; " +
			"expected an attribute with values",
		"{same as: band}": "model.yaml:5:57: attributes: region: same as: band follows the age; " +
			"expected an attribute that is drawn",
		"{same as: home, west: 1%}": `model.yaml:5:63: attributes: region: there is no key "west"; expected one of same as`,
	} {
		source := `name: p
time: {unit: day, end: 10}
population: {size: 100, start: {well: rest}}
states: {well: {}}
attributes: {home: {a: 40%, b: rest}, region: ` + from + `, later: {a: 100%}, x: {number: {gamma: {mean: 1, shape: 2}}}}
`
		if from == "{same as: band}" {
			source = strings.Replace(source, "home: {a: 40%, b: rest}", "band: {age: {a: 0 days}}", 1)
			want = strings.Replace(want, "5:57", "5:58", 1)
		}
		if _, err := population.Compile("model.yaml", []byte(source)); err == nil || err.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", from, err, want)
		}
	}
	// A value of that name is still one.
	_, err := population.Compile("model.yaml", []byte(`name: p
time: {unit: day, end: 10}
population: {size: 100, start: {well: rest}}
states: {well: {}}
attributes: {home: {same as: 40%, other one: rest}}
`))
	if err != nil {
		t.Error(err)
	}
}
