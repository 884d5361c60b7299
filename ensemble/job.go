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

// What a job may be, so that no message and no memory grows without bound.
const (
	MaxPayload = 64 << 20 // bytes of a model with its files
	MaxPoints  = 1 << 20
	MaxOutputs = wire.MaxOutputs // numbers of one replica
	MaxData    = 640 << 10       // bytes of one replica's Data
	maxSpec    = 256 << 20
	maxNames   = 256 << 10 // bytes of the names of a replica's numbers
)

// A Job is what is to be run: a model at points, so many replicas at each. Two jobs that are equal
// have the same key, and are one job.
type Job struct {
	Name      string    `json:"name,omitempty"` // for people
	Kind      string    `json:"kind"`           // of model, as registered
	Payload   []byte    `json:"-"`              // what the kind opens: the model, its files, what else it needs
	Points    []Point   `json:"points"`
	Replicas  int       `json:"replicas"` // at each point; with Precision, at most
	Seed      uint64    `json:"seed"`
	Quantiles []float64 `json:"quantiles,omitempty"` // to be given for each output, within (0, 1); 0.05, 0.5, 0.95 if none
	Precision Precision `json:"precision,omitzero"`

	// Keep keeps what each replica gave on the hub until the job is forgotten, so that
	// [RunOptions].Replica is given all of them whenever the job is run, also when it is done.
	// Otherwise they are removed when their point is finished.
	Keep bool `json:"keep,omitempty"`

	Limits Limits `json:"limits,omitzero"`
}

// A Point is one combination of parameters.
type Point struct {
	// Set gives parameters their values, as text with a unit where the kind has units.
	Set map[string]string `json:"set,omitempty"`

	// Repeat is the command that repeats one replica of this point alone, for the message if it
	// fails; {replica} stands for its number.
	Repeat string `json:"repeat,omitempty"`
}

// Precision stops a point early: after every Batch replicas, in the order of their numbers, it is
// asked whether the 95 % intervals of the means are narrow enough. What has not yet been merged has
// no say, so that the answer does not depend on who was fast. As with every rule that looks at the
// data and stops, the intervals cover a little less often than 95 %; larger batches, less so.
type Precision struct {
	Relative float64  `json:"relative,omitempty"` // half the interval's width against the mean: 0.02 is 2 %; 0 never stops
	Outputs  []string `json:"outputs,omitempty"`  // those that must be narrow; all if none
	Batch    int      `json:"batch,omitempty"`    // 50 if 0
}

func (p Precision) batch() int {
	if p.Batch == 0 {
		return 50
	}
	return p.Batch
}

// Limits are what one replica may take. A job that exceeds them fails.
type Limits struct {
	Time time.Duration `json:"time,omitempty"` // none if 0
	// bytes that the worker's process has in use while it runs nothing else; none if 0
	Memory uint64 `json:"memory,omitempty"`
}

// check reports what is wrong with a job.
func (j *Job) check() error {
	switch {
	case !isName(j.Kind):
		return fmt.Errorf("ensemble: a job's kind is %q: letters, digits, - and _ make a name", j.Kind)
	case len(j.Points) == 0 || len(j.Points) > MaxPoints:
		return fmt.Errorf("ensemble: a job with %d points: it needs from 1 to %d", len(j.Points), MaxPoints)
	case j.Replicas < 1 || j.Replicas > math.MaxInt32:
		return fmt.Errorf("ensemble: a job with %d replicas: it needs from 1 to %d", j.Replicas, math.MaxInt32)
	case j.Replicas > math.MaxInt/len(j.Points): // where an int has 32 bits
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

// quantiles are those that are given.
func (j *Job) quantiles() []float64 {
	if len(j.Quantiles) > 0 {
		return j.Quantiles
	}
	return []float64{0.05, 0.5, 0.95}
}

// A spec is a job as it is stored for workers and for those who resume it.
type spec struct {
	Job     Job    `json:"job"`
	Version string `json:"version"` // that its results are of
}

// encode gives the bytes of a job, which are the same for equal jobs, and its key, which is their
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

// Key is what identifies a job: a hash of all that its results depend on. The registry says which
// version of the kind it is for; nil is the default one.
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

// A ReplicaError says that a replica failed, and with it the job.
type ReplicaError struct {
	Point   int    // its index
	Set     string // its parameters, as text
	Replica int
	Reason  string // "error", "panic", "time", "memory", "died"
	Text    string // what happened
	Repeat  string // the command that repeats it alone
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
	e := &ReplicaError{Point: f.Point, Replica: f.Replica, Reason: f.Reason, Text: f.Text}
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

// What can become of a job other than its end.
var (
	ErrCanceled  = errors.New("ensemble: the job was cancelled")
	ErrTakenOver = errors.New("ensemble: the job was taken over by another coordinator, which goes on with it")
	ErrLost      = errors.New("ensemble: the hub no longer has the job: it began anew with an empty store; the same " +
		"job, given again, begins anew, too")
	ErrNoJob = errors.New("ensemble: there is no such job")
)

// isJob reports whether a text can be a job's key, so that it can be part of a subject.
func isJob(id string) bool { return isName(id) && len(id) == 32 }
