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

// A Kind is a sort of model that workers can run: how it is made from the bytes that a job carries.
type Kind struct {
	Name string // as jobs name it: letters, digits, -, _

	// Version is changed whenever the same job could give other numbers. A worker whose version is
	// not the job's refuses it. If there is none, a hash of the running program stands for it: two
	// builds are then two versions.
	Version string

	// Portable says that replicas give the same bits on every machine, as those of model files do.
	// Otherwise what package math gives on a processor is part of the version: math.Exp, for one,
	// depends on whether it has fused multiply-add.
	Portable bool

	// Open makes a model from a job's payload, once for each job that a worker takes part in. The
	// bytes are not to be changed.
	Open func(payload []byte) (Model, error)
}

// A Model is what a job runs. At is called from several goroutines at once.
type Model interface {
	// At prepares the model for a point. What it returns runs one replica at a time.
	At(point Point) (Runner, error)
}

// A Runner runs one replica at the point it was made for. It must give the same values for the same
// replica, whoever runs it and whatever ran before. It returns soon after ctx is done.
type Runner func(ctx context.Context, r Replica) (Values, error)

// Values are the numbers that one replica gives. NaN says that a replica has no such number (the
// time of a peak that there was not): it is left out of the summary, which says how many there
// were. Infinities are refused.
type Values struct {
	Names   []string // the same for all replicas of a point; may be shared between replicas
	Numbers []float64
	// Series are numbers without names, as many in each replica of a point: counts over time, row
	// by row, for example. They are summarised, too, as the Series of the [PointResult], and have
	// no say in its precision.
	Series []float64
	Events uint64 // the work that was done, for the progress line; a pure function, as the numbers are
	Data   []byte // what else the replica gives, at most MaxData bytes: not summarised, but handed to RunOptions.Replica
}

// A Replica is one run of a model at a point. [NewReplica] makes one.
type Replica struct {
	Number int // from 0

	// Seed is for the random numbers of this replica: sim.New(sim.Seed(r.Seed)), for example. Every
	// replica has another one. It is the same at every point, so that points are compared with
	// common random numbers.
	Seed uint64

	// JobSeed is the seed of the job, which all replicas share. It is for models that derive what
	// is random from it and Number.
	JobSeed uint64
}

// NewReplica is the replica of a number, from 0 on, of a job with a seed.
func NewReplica(jobSeed uint64, number int) Replica {
	r := Replica{Number: number, JobSeed: jobSeed}
	r.Seed = r.Rand().Uint64()
	return r
}

// Rand is a source of random numbers for this replica, derived from JobSeed and Number. As with
// Seed, it is the same at every point.
func (r Replica) Rand() *rand.Rand {
	s := random.New(r.JobSeed, uint64(r.Number))
	return rand.New(rand.NewPCG(s.Uint64(), s.Uint64()))
}

// Params are the parameters of a registered function at a point.
type Params map[string]float64

// Outputs are the numbers that a registered function gives for a replica, by name. Names must be
// the same for all replicas of a point.
type Outputs map[string]float64

// A Func is a model in Go: one replica at one point. It must depend on its arguments alone.
type Func func(ctx context.Context, params Params, replica Replica) (Outputs, error)

// A Registry holds the kinds of models that a program can run. The zero value is empty and ready.
// It may be used from several goroutines.
type Registry struct {
	mu         sync.Mutex
	kinds      map[string]Kind
	parameters map[string][]Parameter // of functions that say which they have
}

var defaultRegistry Registry

// Default returns the registry of [Register], and of an [Executor] and [Serve] unless they are
// given another.
func Default() *Registry { return &defaultRegistry }

// Register adds a function to the default registry, as [Registry.Register] does.
func Register(name string, f Func, parameters ...Parameter) {
	defaultRegistry.Register(name, f, parameters...)
}

// Register adds a model in Go. Its version is a hash of the running program, so that workers of
// another build refuse its jobs; AddKind with [FuncKind] lets you say the version yourself. If it
// says which parameters it has, it is given all of them, and [Main] refuses others; if not, it is
// given what is set. It panics if the name is no name or is taken.
func (g *Registry) Register(name string, f Func, parameters ...Parameter) {
	g.AddKind(FuncKind(name, "", withDefaults(f, parameters)))
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.parameters == nil {
		g.parameters = map[string][]Parameter{}
	}
	g.parameters[name] = slices.Clone(parameters)
}

// functions are the models that were registered as functions, with their parameters.
func (g *Registry) functions() map[string][]Parameter {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.parameters)
}

// A Parameter is one that a registered function has.
type Parameter struct {
	Name  string
	Value float64 // unless it is set
	About string  // for people
}

// withDefaults gives a function the values of parameters that are not set.
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

// FuncKind is the kind of a function in Go. The values of a point are parsed as numbers. The
// version may be empty, as in a [Kind].
func FuncKind(name, version string, f Func) Kind {
	return Kind{Name: name, Version: version, Open: func(payload []byte) (Model, error) {
		if len(payload) == 0 {
			return funcModel{f}, nil
		}
		return openComparison(payload, f)
	}}
}

// AddKind adds a kind. It panics if the kind is incomplete, or its name is no name or is taken.
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

// Kinds are the registered kinds, by name.
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

// with is the function with some parameters.
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

// engineVersion is changed whenever tasks or results change their form, or the same job would be
// merged differently.
const engineVersion = "1"

// version is what a job's tasks and results carry, and what a worker must have, to the letter, to
// take the job. Unless the kind is portable, the arithmetic of the machine is part of it.
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

// versionTag is a version as a token of a subject, and part of a consumer's name.
func versionTag(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:8])
}

// ProgramVersion is a hash of the program that runs, for kinds whose version it is to be a part of:
// two programs that have the same were built from the same.
func ProgramVersion() string { return identity.Program() }
