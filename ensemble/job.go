package ensemble

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/ensemble/internal/wire"
	"github.com/almanac-sim/almanac/internal/frame"
)

// Limits of a job, which bound messages and memory.
const (
	MaxPayload = 64 << 20 // bytes of a model with its files
	MaxPoints  = 1 << 20
	MaxOutputs = wire.MaxOutputs // numbers of one replica
	MaxData    = 640 << 10       // bytes of one replica's Data
	maxSpec    = 256 << 20
	maxNames   = 256 << 10 // bytes of the names of a replica's numbers
)

// A Job is a model to be run at points, Replicas times at each. Equal jobs have the same key, and
// are one job.
type Job struct {
	Name      string    `json:"name,omitempty"` // for people
	Kind      string    `json:"kind"`           // of model, as registered
	Payload   []byte    `json:"-"`              // what the kind opens: the model, its files and options
	Points    []Point   `json:"points"`
	Replicas  int       `json:"replicas"` // at each point; with Precision, at most
	Seed      uint64    `json:"seed"`
	Quantiles []float64 `json:"quantiles,omitempty"` // of each output, within (0, 1); nil means 0.05, 0.5, 0.95
	Precision Precision `json:"precision,omitzero"`

	// Keep keeps the values of all replicas until the job is removed, so that [RunOptions].Replica
	// is called with all of them whenever the job is run, also if it is already done. Otherwise
	// they are removed when their point is finished.
	Keep bool `json:"keep,omitempty"`

	Limits Limits `json:"limits,omitzero"`
}

// A Point is one combination of parameters.
type Point struct {
	// Set has the values of parameters, as text, with a unit where the kind has units.
	Set map[string]string `json:"set,omitempty"`

	// Repeat is a command that repeats one replica of this point, for error messages; {replica} is
	// replaced by its number.
	Repeat string `json:"repeat,omitempty"`
}

// Precision stops a point early: after every Batch replicas, in order, the point ends if the 95 %
// intervals of the means are narrow enough. The decision depends on merged replicas only, so it
// does not depend on the speed of workers. As with every sequential stopping rule, the intervals
// cover a little less often than 95 %, the less so the larger the batches.
type Precision struct {
	// half the interval's width over the mean: 0.02 is 2 %; 0 means never stop
	Relative float64  `json:"relative,omitempty"`
	Outputs  []string `json:"outputs,omitempty"` // that must be precise; nil means all
	Batch    int      `json:"batch,omitempty"`   // 0 means 50
}

func (p Precision) batch() int {
	if p.Batch == 0 {
		return 50
	}
	return p.Batch
}

// Limits are the resources that one replica may use. A job that exceeds them fails.
type Limits struct {
	Time time.Duration `json:"time,omitempty"` // 0 means unlimited
	// bytes in use by the worker's process while it runs nothing else; 0 means unlimited
	Memory uint64 `json:"memory,omitempty"`
}

// check returns an error if the job is not valid.
func (j *Job) check() error {
	switch {
	case !isName(j.Kind):
		return fmt.Errorf("ensemble: a job's kind is %q: letters, digits, - and _ make a name", j.Kind)
	case len(j.Points) == 0 || len(j.Points) > MaxPoints:
		return fmt.Errorf("ensemble: a job with %d points: it needs from 1 to %d", len(j.Points), MaxPoints)
	case j.Replicas < 1 || j.Replicas > math.MaxInt32:
		return fmt.Errorf("ensemble: a job with %d replicas: it needs from 1 to %d", j.Replicas, math.MaxInt32)
	case j.Replicas > math.MaxInt/len(j.Points): // possible on 32-bit platforms
		return fmt.Errorf("ensemble: a job with %d replicas at each of %d points: %d in all are the most", j.Replicas,
			len(j.Points), math.MaxInt)
	case len(j.Payload) > MaxPayload:
		return fmt.Errorf("ensemble: the model and its files have %d bytes; %d are the most", len(j.Payload), MaxPayload)
	case !(j.Precision.Relative >= 0 && j.Precision.Relative < 1):
		return fmt.Errorf("ensemble: a precision of %g: it is a share of the mean, 0 for none and below 1",
			j.Precision.Relative)
	case j.Precision.Batch < 0 || j.Precision.Batch == 1:
		return fmt.Errorf("ensemble: batches of %d replicas: an interval needs at least 2", j.Precision.Batch)
	case j.Limits.Time < 0:
		return fmt.Errorf("ensemble: a limit of %v: it is above 0, or 0 for none", j.Limits.Time)
	case len(j.Quantiles) > 64:
		return fmt.Errorf("ensemble: %d quantiles; 64 are the most", len(j.Quantiles))
	}
	for _, q := range j.Quantiles {
		if !(q > 0 && q < 1) {
			return fmt.Errorf("ensemble: a quantile of %g: it lies between 0 and 1", q)
		}
	}
	return nil
}

// quantiles returns the quantiles of the job, or the default ones.
func (j *Job) quantiles() []float64 {
	if len(j.Quantiles) > 0 {
		return j.Quantiles
	}
	return []float64{0.05, 0.5, 0.95}
}

// A spec is a job as it is stored for workers and for resuming.
type spec struct {
	Job     Job    `json:"job"`
	Version string `json:"version"` // of its results
}

// encode returns the bytes of a job, which are the same for equal jobs, and its key, which is their
// hash.
func (s *spec) encode() (data []byte, key string, err error) {
	head, err := json.Marshal(s)
	if err != nil {
		return nil, "", err
	}
	data = frame.Join(head, s.Job.Payload)
	if len(data) > maxSpec {
		return nil, "", fmt.Errorf("ensemble: the job has %d bytes; %d are the most", len(data), maxSpec)
	}
	sum := sha256.Sum256(data)
	return data, hex.EncodeToString(sum[:16]), nil
}

func decodeSpec(data []byte) (*spec, error) {
	head, payload, err := frame.Split(data)
	if err != nil {
		return nil, err
	}
	s := new(spec)
	if err := json.Unmarshal(head, s); err != nil {
		return nil, err
	}
	s.Job.Payload = payload
	return s, s.Job.check()
}

// Key is the identity of a job: a hash of all that its results depend on. The registry supplies the
// version of the kind; nil means the default one.
func (j *Job) Key(g *Registry) (string, error) {
	s, err := j.spec(g)
	if err != nil {
		return "", err
	}
	_, key, err := s.encode()
	return key, err
}

func (j *Job) spec(g *Registry) (*spec, error) {
	if g == nil {
		g = Default()
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	k, ok := g.kind(j.Kind)
	if !ok {
		return nil, fmt.Errorf("ensemble: this program has no kind %q; %s", j.Kind, kindList(g))
	}
	return &spec{Job: *j, Version: k.version()}, nil
}

func kindList(g *Registry) string {
	var names []string
	for _, k := range g.Kinds() {
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return "none is registered"
	}
	return "it has " + strings.Join(names, ", ")
}

// A ReplicaError is the failure of a replica, which fails the job.
type ReplicaError struct {
	Point   int    // its index
	Set     string // its parameters, as text
	Replica int
	Reason  string // "error", "panic", "time", "memory", "died"
	Text    string // what happened
	Stack   string // of the goroutine, if it panicked
	Repeat  string // the command that repeats the replica
}

// Error says which replica failed and how, and the command that repeats it.
func (e *ReplicaError) Error() string {
	s := fmt.Sprintf("ensemble: point %d%s, replica %d: %s", e.Point, e.Set, e.Replica, e.Text)
	if e.Repeat != "" {
		s += "\nto repeat it alone: " + e.Repeat
	}
	return s
}

func (j *Job) replicaError(f wire.Failure) *ReplicaError {
	e := &ReplicaError{Point: f.Point, Replica: f.Replica, Reason: f.Reason, Text: f.Text, Stack: f.Stack}
	if f.Point >= 0 && f.Point < len(j.Points) {
		p := j.Points[f.Point]
		e.Set = p.text()
		e.Repeat = strings.ReplaceAll(p.Repeat, "{replica}", strconv.Itoa(f.Replica))
	}
	return e
}

func (p Point) text() string {
	var parts []string
	for name, value := range p.Set {
		parts = append(parts, name+" = "+value)
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (" + strings.Join(parts, ", ") + ")"
}

// Errors of jobs.
var (
	ErrCanceled  = errors.New("ensemble: the job was cancelled")
	ErrTakenOver = errors.New("ensemble: the job was taken over by another coordinator, which goes on with it")
	ErrLost      = errors.New("ensemble: the hub no longer has the job: it began anew with an empty store; the same " +
		"job, given again, begins anew, too")
	ErrNoJob = errors.New("ensemble: there is no such job")
)

// isJob reports whether id has the form of a job's key, so that it can be part of a subject.
func isJob(id string) bool { return isName(id) && len(id) == 32 }
