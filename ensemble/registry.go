package ensemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/almanac-sim/almanac/ensemble/internal/identity"
	"github.com/almanac-sim/almanac/internal/random"
)

// A Kind is a kind of model that workers can run: how it is opened from the bytes that a job
// carries.
type Kind struct {
	Name string // used by jobs: letters, digits, - and _

	// Version must change whenever the same job could give other numbers. A worker refuses jobs of
	// another version. If it is empty, it is a hash of the running program, so that two builds are
	// two versions.
	Version string

	// Portable means that replicas give the same bits on every machine, as those of model files do.
	// Otherwise the machine's arithmetic is part of the version: math.Exp, for example, depends on
	// whether the processor has fused multiply-add.
	Portable bool

	// Open makes a model from a job's payload. A worker calls it once for each job. The bytes must
	// not be changed.
	Open func(payload []byte) (Model, error)
}

// A Model is what a job runs. At may be called from several goroutines at once.
type Model interface {
	// At prepares the model for a point. The runner runs one replica at a time.
	At(point Point) (Runner, error)
}

// A Runner runs one replica at the point it was made for. It must return the same values for the
// same replica on every worker and in every order. It returns soon after ctx is done.
type Runner func(ctx context.Context, r Replica) (Values, error)

// Values are the numbers that one replica returns. NaN means that a replica has no such number,
// such as the time of a peak that did not occur: it is left out of the summary, which has the
// number of values. Infinities are errors.
type Values struct {
	Names   []string // the same for all replicas of a point; may be shared between replicas
	Numbers []float64
	// Series are numbers without names, the same number in each replica of a point: counts over
	// time, row by row, for example. They are summarised as the Series of the [PointResult], and do
	// not count for its precision.
	Series []float64
	Events uint64 // a measure of work, for progress; deterministic, as the numbers are
	Data   []byte // other output, at most MaxData bytes: not summarised, but passed to RunOptions.Replica
}

// A Replica is one run of a model at a point. [NewReplica] makes one.
type Replica struct {
	Number int // from 0

	// Seed seeds the random numbers of this replica: sim.New(sim.Seed(r.Seed)), for example. It
	// differs between replicas, and is the same at every point, so that points are compared with
	// common random numbers.
	Seed uint64

	// JobSeed is the seed of the job, for models that derive their own seed from it and Number.
	JobSeed uint64
}

// NewReplica returns the replica with a number, from 0, of a job with a seed.
func NewReplica(jobSeed uint64, number int) Replica {
	r := Replica{Number: number, JobSeed: jobSeed}
	r.Seed = r.Rand().Uint64()
	return r
}

// Rand returns a source of random numbers for this replica, derived from JobSeed and Number. It is
// the same at every point.
func (r Replica) Rand() *rand.Rand {
	s := random.New(r.JobSeed, uint64(r.Number))
	return rand.New(rand.NewPCG(s.Uint64(), s.Uint64()))
}

// Params are the parameters of a registered function at a point.
type Params map[string]float64

// Outputs are the numbers that a registered function returns for a replica, by name. Names must be
// the same for all replicas of a point.
type Outputs map[string]float64

// A Func is a model in Go: one replica at one point. It must depend on its arguments alone.
type Func func(ctx context.Context, params Params, replica Replica) (Outputs, error)

// A Registry holds the kinds of models that a program can run. The zero value is empty and ready.
// It may be used from several goroutines.
type Registry struct {
	mu         sync.Mutex
	kinds      map[string]Kind
	parameters map[string][]Parameter // of functions that declare them
}

var defaultRegistry Registry

// Default returns the registry of [Register], which executors and workers use unless they are given
// another.
func Default() *Registry { return &defaultRegistry }

// Register adds a function to the default registry, as [Registry.Register] does.
func Register(name string, f Func, parameters ...Parameter) {
	defaultRegistry.Register(name, f, parameters...)
}

// Register adds a model in Go. Its version is a hash of the running program, so that workers of
// another build refuse its jobs; use AddKind with [FuncKind] to set a version. A function that
// declares parameters gets all of them, and [Main] rejects others; otherwise it gets those that are
// set. It panics if the name is not valid or is taken.
func (g *Registry) Register(name string, f Func, parameters ...Parameter) {
	g.AddKind(FuncKind(name, "", withDefaults(f, parameters)))
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.parameters == nil {
		g.parameters = map[string][]Parameter{}
	}
	g.parameters[name] = slices.Clone(parameters)
}

// functions returns the registered functions with their parameters.
func (g *Registry) functions() map[string][]Parameter {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.parameters)
}

// A Parameter is a parameter of a registered function.
type Parameter struct {
	Name  string
	Value float64 // the default
	About string  // description
}

// withDefaults adds the default values of parameters that are not set.
func withDefaults(f Func, parameters []Parameter) Func {
	if len(parameters) == 0 {
		return f
	}
	parameters = slices.Clone(parameters)
	return func(ctx context.Context, params Params, r Replica) (Outputs, error) {
		for _, p := range parameters {
			if _, set := params[p.Name]; !set {
				params[p.Name] = p.Value
			}
		}
		return f(ctx, params, r)
	}
}

// FuncKind returns the kind of a function. The values of a point are parsed as numbers. The version
// may be empty, as in a [Kind].
func FuncKind(name, version string, f Func) Kind {
	return Kind{Name: name, Version: version, Open: func(payload []byte) (Model, error) {
		if len(payload) == 0 {
			return funcModel{f}, nil
		}
		return openComparison(payload, f)
	}}
}

// AddKind adds a kind. It panics if the kind is incomplete, or its name is not valid or is taken.
func (g *Registry) AddKind(k Kind) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch _, taken := g.kinds[k.Name]; {
	case !isName(k.Name):
		panic(fmt.Sprintf("ensemble: %q is no name of a kind: letters, digits, - and _ are", k.Name))
	case k.Open == nil:
		panic(fmt.Sprintf("ensemble: the kind %q needs Open", k.Name))
	case taken:
		panic(fmt.Sprintf("ensemble: %q is registered twice", k.Name))
	}
	if g.kinds == nil {
		g.kinds = map[string]Kind{}
	}
	g.kinds[k.Name] = k
}

// Kinds returns the registered kinds, sorted by name.
func (g *Registry) Kinds() []Kind {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]Kind, 0, len(g.kinds))
	for _, name := range slices.Sorted(maps.Keys(g.kinds)) {
		all = append(all, g.kinds[name])
	}
	return all
}

func (g *Registry) kind(name string) (Kind, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	k, ok := g.kinds[name]
	return k, ok
}

func isName(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

type funcModel struct{ f Func }

func (m funcModel) At(point Point) (Runner, error) {
	params, err := parseParams(point.Set)
	if err != nil {
		return nil, err
	}
	return m.with(params), nil
}

func parseParams(set map[string]string) (Params, error) {
	params := Params{}
	for name, text := range set {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("parameter %s is %q, which is no number", name, text)
		}
		params[name] = x
	}
	return params, nil
}

// with is the runner of the function with parameters.
func (m funcModel) with(params Params) Runner {
	return func(ctx context.Context, r Replica) (Values, error) {
		out, err := m.f(ctx, maps.Clone(params), r)
		if err != nil {
			return Values{}, err
		}
		v := Values{Names: slices.Sorted(maps.Keys(out)), Events: 1}
		for _, name := range v.Names {
			v.Numbers = append(v.Numbers, out[name])
		}
		return v, nil
	}
}

// engineVersion must change whenever the form of tasks or results changes, or the same job would be
// merged differently.
const engineVersion = "1"

// version is what a job's tasks and results carry. A worker must have exactly the same to take the
// job. Unless the kind is portable, it includes the arithmetic of the machine.
func (k Kind) version() string {
	if k.Version == "" {
		k.Version = identity.Program()
	}
	version := "engine " + engineVersion + ", " + k.Name + " " + k.Version
	if !k.Portable {
		version += ", " + identity.Arithmetic()
	}
	return version
}

// versionTag is a hash of a version, for subjects and consumer names.
func versionTag(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:8])
}

// ProgramVersion is a hash of the running program, for use in versions of kinds: equal hashes mean
// that the programs were built from the same sources.
func ProgramVersion() string { return identity.Program() }
