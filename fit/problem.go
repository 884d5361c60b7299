package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// An Unknown is a parameter to be estimated. Its values are numbers in the prior's unit.
type Unknown struct {
	Name  string
	Unit  string // of the prior's numbers, for display and for --set; may be empty
	Prior Prior
}

// A Column is one observed series: a number for each time of the problem. NaN marks a missing
// value.
type Column struct {
	Name string
	Data []float64
}

// A Problem is what is unknown, and what was observed.
type Problem struct {
	Unknowns []Unknown
	Times    []float64 // of the rows, ascending, on the model's clock
	Columns  []Column
	// OutOf are, by column, the numbers that the data of a [Binomial] law are out of, one for each
	// row: of how many tests they are the positives. A column with another law has none; nil if all
	// have.
	OutOf [][]float64
}

// law is the law of a row of a column.
func (p *Problem) law(l Law, column, row int) Law {
	if p.OutOf != nil && p.OutOf[column] != nil {
		l.Arg = p.OutOf[column][row]
	}
	return l
}

// Check returns an error if the problem is not valid.
func (p *Problem) Check() error {
	if len(p.Unknowns) == 0 {
		return fmt.Errorf("fit: nothing is unknown")
	}
	names := map[string]bool{}
	for _, u := range p.Unknowns {
		if u.Name == "" || names[u.Name] {
			return fmt.Errorf("fit: an unknown is called %q: each needs a name of its own", u.Name)
		}
		names[u.Name] = true
		if err := u.Prior.Check(); err != nil {
			return fmt.Errorf("fit: the prior of %s: %w", u.Name, err)
		}
	}
	if len(p.Times) == 0 || len(p.Columns) == 0 {
		return fmt.Errorf("fit: %d rows and %d columns of data: at least one of each is needed", len(p.Times), len(p.Columns))
	}
	for i, t := range p.Times {
		if math.IsNaN(t) || math.IsInf(t, 0) || i > 0 && !(t > p.Times[i-1]) {
			return fmt.Errorf("fit: row %d is of time %g: times are finite, and ascend", i+1, t)
		}
	}
	for _, c := range p.Columns {
		if len(c.Data) != len(p.Times) {
			return fmt.Errorf("fit: column %s has %d numbers for %d times", c.Name, len(c.Data), len(p.Times))
		}
		for i, y := range c.Data {
			if math.IsInf(y, 0) {
				return fmt.Errorf("fit: column %s, row %d: %g is no number that can be seen", c.Name, i+1, y)
			}
		}
	}
	if err := p.checkOutOf(); err != nil {
		return err
	}
	if p.observed() == 0 {
		return fmt.Errorf("fit: the data are nothing but gaps")
	}
	return nil
}

// checkOutOf returns an error if OutOf is not of these columns, or less than they have.
func (p *Problem) checkOutOf() error {
	if p.OutOf != nil && len(p.OutOf) != len(p.Columns) {
		return fmt.Errorf("fit: OutOf is of %d columns, and there are %d", len(p.OutOf), len(p.Columns))
	}
	for k, of := range p.OutOf {
		c := &p.Columns[k]
		if of != nil && len(of) != len(p.Times) {
			return fmt.Errorf("fit: column %s is out of %d numbers for %d times", c.Name, len(of), len(p.Times))
		}
		for i := range of {
			if y := c.Data[i]; !math.IsNaN(y) && !(y <= of[i] && of[i] <= math.MaxFloat64) {
				return fmt.Errorf("fit: column %s, row %d: %g out of %g", c.Name, i+1, y, of[i])
			}
		}
	}
	return nil
}

// observed is the number of observations, without missing values.
func (p *Problem) observed() (n int) {
	for _, c := range p.Columns {
		for _, y := range c.Data {
			if !math.IsNaN(y) {
				n++
			}
		}
	}
	return n
}

// Reports are the expected reports of a column, given a run of the model, and their distribution
// about it.
type Reports struct {
	Mean []float64 // for each row, such as the reporting probability times the count
	Law  Law
}

// A Trajectory is the output of one run of the model at the times of the data.
type Trajectory struct {
	Columns []Reports // in the problem's order
	Events  uint64    // simulated, as a measure of work
	// Check is a number by which the run can be recognised, such as a hash of what it counted up to
	// the last observation; 0 for none. The fit keeps it with the [Path] of the run.
	Check uint64
}

// A Simulator runs a model. Its methods may be called from several goroutines at once.
type Simulator interface {
	// Simulate runs the model once, with the unknowns at x. The result depends on x and seed alone.
	// The same seed at another x should use common random numbers, where the model can. It returns
	// soon after ctx is done.
	Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error)
}

// A Filtered simulator can be stopped at each row of the data and continued several times, as
// particle filters need.
type Filtered interface {
	Simulator
	// Start prepares a run at x, before the first row.
	Start(ctx context.Context, x []float64, seed uint64) (Particle, error)
}

// A Sharing simulator has particles that compete for memory. The particles of an estimate hold
// their memory until the last row, so memory must be obtained for all of them at once.
type Sharing interface {
	Filtered
	// Share calls f, which creates particles, concurrently with other calls. If memory runs out, it
	// waits until no other call is active and calls f again, which starts over. It returns the
	// error of the last call.
	Share(ctx context.Context, f func() error) error
}

// A Particle is a run of a model that is stopped at a row of the data. It is used by one goroutine
// at a time. It may also have a method Check() uint64, which returns the Check of a [Trajectory]
// for the run up to this row.
type Particle interface {
	// Step advances to the next row, and returns the expected reports there, one for each column.
	// The slice is valid until the next call.
	Step(ctx context.Context) (means []float64, events uint64, err error)
	// Fork returns a copy that continues with its own random stream, derived from seed.
	Fork(seed uint64) (Particle, error)
	// Laws returns the distributions of the columns' reports.
	Laws() []Law
	// Close releases the particle's memory.
	Close()
}

// values returns the unknowns at a point of the normal scale.
func (p *Problem) values(z []float64) []float64 {
	x := make([]float64, len(z))
	for i, u := range p.Unknowns {
		x[i] = u.Prior.fromZ(z[i])
	}
	return x
}

// LogLikelihood is the log likelihood of all data of the problem given a trajectory.
func (p *Problem) LogLikelihood(c Trajectory) float64 {
	sum := 0.0
	for i, column := range p.Columns {
		r := c.Columns[i]
		for row, y := range column.Data {
			if !math.IsNaN(y) {
				sum += p.law(r.Law, i, row).LogDensity(y, r.Mean[row])
			}
		}
	}
	return sum
}

// An observation is one number that was observed.
type observation struct {
	column, row int
	value       float64
}

// observations returns the data without missing values, column by column.
func (p *Problem) observations() []observation {
	data := make([]observation, 0, len(p.Columns)*len(p.Times))
	for c, column := range p.Columns {
		for row, y := range column.Data {
			if !math.IsNaN(y) {
				data = append(data, observation{c, row, y})
			}
		}
	}
	return data
}

func (p *Problem) names() (names, units []string) {
	for _, u := range p.Unknowns {
		names, units = append(names, u.Name), append(units, u.Unit)
	}
	return names, units
}

// priorDensity is the log density of the prior.
func (p *Problem) priorDensity(x []float64) float64 {
	sum := 0.0
	for i, u := range p.Unknowns {
		sum += u.Prior.LogDensity(x[i])
	}
	return sum
}

// checkPoints returns an error unless every point has one coordinate for each unknown.
func (p *Problem) checkPoints(points [][]float64) error {
	if len(points) == 0 {
		return fmt.Errorf("fit: a stage without points")
	}
	for _, z := range points {
		if len(z) != len(p.Unknowns) {
			return fmt.Errorf("fit: a point with %d coordinates for %d unknowns", len(z), len(p.Unknowns))
		}
	}
	return nil
}

// at formats values of the unknowns.
func (p *Problem) at(x []float64) string {
	var parts []string
	for i, u := range p.Unknowns {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s = %v %s", u.Name, x[i], u.Unit)))
	}
	return strings.Join(parts, ", ")
}

// LastRow is the last row with an observation.
func (p *Problem) LastRow() int {
	for row := len(p.Times) - 1; row > 0; row-- {
		for _, column := range p.Columns {
			if !math.IsNaN(column.Data[row]) {
				return row
			}
		}
	}
	return 0
}

// A SimulatorFunc is a function used as a [Simulator].
type SimulatorFunc func(ctx context.Context, x []float64, seed uint64) (Trajectory, error)

// Simulate calls f.
func (f SimulatorFunc) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	return f(ctx, x, seed)
}

// Draw draws reports: for each column, a number in each row. Those of a [Binomial] law are out of
// the numbers that the problem has, which [Problem.Draw] knows.
func (c Trajectory) Draw(s rand.Source) [][]float64 {
	return new(Problem).Draw(c, s)
}

// Draw draws reports of a trajectory: for each column, a number in each row.
func (p *Problem) Draw(c Trajectory, s rand.Source) [][]float64 {
	all := make([][]float64, len(c.Columns))
	for i, r := range c.Columns {
		for row, m := range r.Mean {
			all[i] = append(all[i], p.law(r.Law, i, row).Draw(m, s))
		}
	}
	return all
}

// pack appends a law to the numbers of an output: family, argument and share.
func (l Law) pack(numbers []float64) []float64 {
	return append(numbers, float64(l.Family), l.Arg, indicator(l.Relative))
}

// unpack reads, for each column, a law that pack wrote and a number for each row.
func (p *Problem) unpack(numbers []float64) ([]Reports, error) {
	width := 3 + len(p.Times)
	if len(numbers) != len(p.Columns)*width {
		return nil, fmt.Errorf("fit: %d columns came as %d numbers", len(p.Columns), len(numbers))
	}
	var all []Reports
	for n := range slices.Chunk(numbers, width) {
		all = append(all, Reports{n[3:], Law{Family(n[0]), n[1], n[2] == 1}})
	}
	return all, nil
}
