package population_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// districts is a model with attributes, a table and moves, written here or in files.
const districts = `name: m
time: {unit: day, end: 10}
population: {size: 400, start: {a: rest}}
attributes:
  home: %s
  region: %s
states: {a: {race: [{rate: %s, to: b}]}, b: {race: [{after: %s, to: a}]}}
always: [{rate: 1 per day, move: {region: %s}, name: travel}]
transmission: [{from: a, rate: 1 per day, chance: %s, to: {b: a}}]
interventions: [{at: 3 days, who: a, count: 30, move: {region: %[5]s}}]
record: {every: 2 days, by: [home, region]}
`

var (
	inlineDistricts = []any{"{north: 25%, south: 75%, east: 0%}", "{east: 50%, north: 25%, south: 25%}",
		"{by: region, north: 0.5 per day, south: 0.25 per day, east: 1 per day}",
		"{by: home, north: 12 hours, south: 1 day, east: 2 days}",
		"{by: home, north: {south: 50%, east: 50%}, south: {north: 100%}, east: {east: 25%, north: 75%}}",
		"{by: region, of: met, north: 40%, south: 50%, east: 60%}"}
	filedDistricts = []any{"{file: homes.csv, column: people}", "{file: regions.csv, column: share}",
		"{by: region, file: rates.csv, column: leave, unit: per day}",
		"{by: home, file: rates.csv, column: leave, unit: days}",
		"{by: home, file: od.csv, column: people}", "{by: region, of: met, file: chances.csv, column: chance}"}
	districtFiles = map[string]string{
		"homes.csv":   "home,people\nnorth,100\nsouth,300\neast,0\n",
		"regions.csv": "# shares\nregion, area, share\neast,7,2\nnorth,8,1\nsouth,9,1\n",
		"rates.csv":   "region,leave\neast,1\nsouth,0.25\nnorth,0.5\n",
		"od.csv":      "home,to,people\nnorth,south,7\nsouth,north,3\neast,east,1\neast,north,3\nnorth,east,7\n",
		"chances.csv": "region,chance\nnorth,40%\nsouth,0.5\neast,60%\n",
	}
)

// compileDistricts compiles the model with some files.
func compileDistricts(files map[string]string, parts []any, more ...population.Change) (*population.Model, error) {
	source := fmt.Sprintf(districts, parts...)
	read := population.Files(func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	})
	return population.Compile("model.yaml", []byte(source), append([]population.Change{read}, more...)...)
}

// Attributes, tables and moves from files give the run of the model that has them in place, also
// compiled elsewhere from what the model has read.
func TestTablesByGroupFromFiles(t *testing.T) {
	inline, err := compileDistricts(nil, inlineDistricts)
	if err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(districtFiles)
	files["homesteads.csv"] = "home,leave\nnorth,0.5\nsouth,1\neast,2\n"
	parts := slices.Clone(filedDistricts)
	parts[3] = "{by: home, file: homesteads.csv, column: leave, unit: days}"
	filed, err := compileDistricts(files, parts)
	if err != nil {
		t.Fatal(err)
	}
	sameRuns(t, inline, filed)
	kept := map[string]string{}
	for name, text := range filed.Files() {
		kept[name] = string(text)
	}
	if want := []string{"chances.csv", "homes.csv", "homesteads.csv", "od.csv", "rates.csv", "regions.csv"}; !slices.Equal(
		slices.Sorted(maps.Keys(kept)), want) {
		t.Errorf("it has read %v", slices.Sorted(maps.Keys(kept)))
	}
	again, err := compileDistricts(kept, parts)
	if err != nil {
		t.Fatal(err)
	}
	sameRuns(t, inline, again)
	if text := filed.Explain(); !strings.Contains(text, "  home: 25% north, 75% south, 0% east\n") ||
		!strings.Contains(text, "moves to region drawn from the row of its home in od.csv at 1 per day [travel]\n") {
		t.Errorf("it says\n%s", text)
	}
	// Another file by a flag.
	files["others.csv"] = "home,people\nsouth,1\nnorth,1\neast,2\n"
	other, err := compileDistricts(files, parts, population.Set("attributes.home.file", "others.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if text := other.Explain(); !strings.Contains(text, "  home: 25% south, 25% north, 50% east\n") {
		t.Errorf("with another file it says\n%s", text)
	}
}

// An attribute whose values are called file and column is one with shares, as before.
func TestValuesCalledFile(t *testing.T) {
	for _, values := range []string{"{file: 30%, column: 70%}", "{file: p, column: rest}", "{file: rest, unit: 0.5}"} {
		_, err := population.Compile("model.yaml", []byte("name: m\ntime: {unit: day, end: 10}\nparameters: {p: 30%}\n"+
			"population: {size: 10, start: {a: rest}}\nattributes: {x: "+values+"}\nstates: {a: {}}\n"+
			"always: [{rate: {by: x, file: 1 per day, other: 2 per day}, move: {x: {by: x, file: {file: 100%}, "+
			"other: file}}}]\n"))
		if err != nil {
			t.Errorf("%s: %v", values, err)
		}
	}
}

// What is wrong with a table is reported with its line.
func TestTablesByGroupProblems(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"name that is no value", "rates.csv", "region,leave\nnorth,1\nsouth,1\nwest,2\neast,1\n",
			`rates.csv:4:1: states: a: race: clock 1: rate: there is no value of region "west"; expected one of east, ` +
				`north, south`},
		{"value without a row", "rates.csv", "region,leave\nnorth,1\nsouth,1\n",
			"rates.csv:2:1: there is no row for region east; expected one for each value"},
		{"second row", "rates.csv", "region,leave\nnorth,1\nsouth,1\neast,1\nnorth,3\n",
			`rates.csv:5:1: a second row for "north"; expected one`},
		{"no number", "rates.csv", "region,leave\nnorth,1\nsouth,x\neast,1\n",
			`rates.csv:3:7: leave: found "x", expected a number`},
		{"percentage with a unit", "rates.csv", "region,leave\nnorth,1\nsouth,3%\neast,1\n",
			`rates.csv:3:7: found "3%", expected a number: the unit is beside the file`},
		{"negative rate", "rates.csv", "region,leave\nnorth,1\nsouth,-3\neast,1\n",
			"rates.csv:3:7: states: a: race: clock 1: rate: -3 for region south: a rate cannot be negative (see line 7)"},
		{"other first column", "rates.csv", "district,leave\nnorth,1\n",
			`rates.csv:1:1: column 1 is "district"; expected "region"`},
		{"column that is none", "rates.csv", "region,leaves\nnorth,1\n",
			`model.yaml:7:66: states: a: race: clock 1: rate: column: there is no column of rates.csv "leave"; ` +
				`did you mean "leaves"?`},
		{"column twice", "rates.csv", "region,leave,leave\nnorth,1,2\n",
			`rates.csv:1:14: a second column "leave"; expected one`},
		{"no rows", "rates.csv", "region,leave\n", "rates.csv:1:1: there is no row; expected one for each value of region"},
		{"empty file", "rates.csv", "",
			"rates.csv:1:1: the file is empty; expected a line with the names of the columns, region first"},
		{"semicolons", "rates.csv", "region;leave\nnorth;1\n",
			`rates.csv:1:1: there is one column, "region;leave"; expected a comma between two columns, and a point in numbers`},
		{"short row", "rates.csv", "region,leave\nnorth,1\nsouth\n",
			"rates.csv:3:1: 1 value here, and 2 names of columns; expected the same"},
		{"no table", "rates.csv", "region,leave\n\"nor\"th,1\n",
			"rates.csv:2:1: this is not a table: extraneous or missing \" in quoted-field"},
		{"weight below nothing", "homes.csv", "home,people\nnorth,100\nsouth,-300\neast,0\n",
			"homes.csv:3:7: -300: a weight cannot be negative"},
		{"no weight", "homes.csv", "home,people\nnorth,0\nsouth,0\neast,0\n",
			"homes.csv:2:7: the weights add up to 0; expected more than 0, and not more than 1e+100"},
		{"name that cannot be", "homes.csv", "home,people\nnorth,1\nsouth,1\neast,0\nout,3\n",
			`homes.csv:5:1: attributes: home: "out" cannot be a name: it means leaving the population; ` +
				`write another, such as home_out`},
		{"value of a move that is none", "od.csv", "home,to,people\nnorth,west,7\nsouth,north,3\neast,east,1\n",
			`od.csv:2:7: "west" is no region; expected one of east, north, south`},
		{"group of a move that is none", "od.csv", "home,to,people\nnorth,south,7\nsouth,north,3\neast,east,1\nwest,east,1\n",
			`od.csv:5:1: "west" is no home; expected one of north, south, east`},
		{"group of a move without a row", "od.csv", "home,to,people\nnorth,south,7\neast,east,1\n",
			"od.csv:2:1: there is no row for home south; expected at least one for each value"},
		{"pair twice", "od.csv", "home,to,people\nnorth,south,7\nsouth,north,3\neast,east,1\nnorth,south,1\n",
			`od.csv:5:1: a second row for "north" and "south"; expected one`},
		{"row of a move without weight", "od.csv",
			"home,to,people\nnorth,south,7\nsouth,north,0\nsouth,east,0\neast,east,1\n",
			`od.csv:3:13: south: its weights add up to 0; expected more than 0, and not more than 1e+100`},
		{"move without to", "od.csv", "home,region,people\nnorth,south,7\n",
			`od.csv:1:1: column 2 is "region"; expected "to"`},
		{"file that is not there", "", "",
			`model.yaml:7:47: states: a: race: clock 1: rate: file: "rates.csv": no such file`},
	} {
		files := maps.Clone(districtFiles)
		parts := slices.Clone(inlineDistricts)
		if files[c.file] = c.text; c.file == "" {
			delete(files, "rates.csv")
		}
		switch c.file {
		case "homes.csv":
			parts[0] = filedDistricts[0]
		case "od.csv":
			parts[4] = filedDistricts[4]
		default:
			parts[2] = filedDistricts[2]
		}
		m, err := compileDistricts(files, parts)
		if err == nil {
			t.Errorf("%s: it compiles", c.name)
			continue
		}
		refusedWell(t, m, err)
		// The moves of the intervention have the same mistake.
		var got []string
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.Contains(line, "intervention 1") && !slices.Contains(got, line) {
				got = append(got, line)
			}
		}
		if said := strings.Join(got, "\n"); said != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, said, c.want)
		}
	}
	for _, c := range []struct {
		part           int
		text, set, say string
	}{
		{0, "{file: homes.csv}", "",
			`model.yaml:5:9: attributes: home: "column" is missing; write column: people, for example`},
		{0, "{file: homes.csv, colum: people}", "",
			`model.yaml:5:27: attributes: home: there is no key "colum"; did you mean "column"?`},
		{2, "{by: region, file: rates.csv, column: leave, unit: furlongs}", "",
			`model.yaml:7:79: states: a: race: clock 1: rate: unit: found "furlongs", expected what is written behind a ` +
				`number, such as per day, days or %`},
		{2, "{by: region, file: rates.csv, column: leave}", "",
			"rates.csv:2:6: states: a: race: clock 1: rate: 1 for region east has no unit; write 1 per day, " +
				"or whatever the unit is (see line 7)"},
		{0, "{file: homes.csv, column: people}", "attributes.home.north",
			"--set attributes.home.north: the values of home and their shares are in a file; " +
				"change that, or name another one, as in attributes.home.file"},
	} {
		parts := slices.Clone(inlineDistricts)
		parts[c.part] = c.text
		var more []population.Change
		if c.set != "" {
			more = append(more, population.Set(c.set, "3%"))
		}
		if _, err := compileDistricts(districtFiles, parts, more...); err == nil || err.Error() != c.say {
			t.Errorf("%s: got\n%v\nwant\n%s", c.text, err, c.say)
		}
	}
}
