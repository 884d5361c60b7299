// Package wire has the messages between coordinators and workers, and the names of the streams,
// stores and subjects that carry them.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/internal/frame"
)

// A Piece is a range of replicas of a point.
type Piece struct {
	Point int `json:"p"`
	First int `json:"f"`
	Count int `json:"n"`
}

// A Task is what a worker is given. Its key is where its first piece begins.
type Task struct {
	Job     string        `json:"job"`
	Version string        `json:"version"`
	Pieces  []Piece       `json:"pieces"`
	Cut     time.Duration `json:"cut"` // after this time a worker stops between replicas and stores what it has
}

// A Key identifies a task, and its result, within a job.
type Key struct{ Point, First int }

// KeyOf is the key of a task that begins with these pieces.
func KeyOf(pieces []Piece) Key { return Key{pieces[0].Point, pieces[0].First} }

// Key is the task's key.
func (t *Task) Key() Key { return KeyOf(t.Pieces) }

// Check returns an error if the task is not valid.
func (t *Task) Check() error {
	if len(t.Pieces) == 0 {
		return errors.New("a task without pieces")
	}
	for _, p := range t.Pieces {
		if p.Point < 0 || p.First < 0 || p.Count < 1 || p.Count > math.MaxInt32-p.First {
			return fmt.Errorf("a task with a piece %v", p)
		}
	}
	return nil
}

// A Result is what a worker stores: the first replicas of a task, all of them or fewer, and the
// failure that stopped it, if any.
//
// After the head come the numbers, then the data of each replica; the head has the sizes of the
// data.
type Result struct {
	Version   string        `json:"version"`
	Pieces    []Piece       `json:"pieces"`
	Names     [][]string    `json:"names"`            // lists of names
	Series    []int         `json:"series,omitempty"` // length of the series that comes with each list
	Lists     []int         `json:"lists"`            // the list of each piece
	Failure   *Failure      `json:"failure,omitempty"`
	Took      time.Duration `json:"took"`
	Worker    string        `json:"worker"`
	Delivered uint64        `json:"delivered"`       // how often the task had been delivered
	Sizes     []int         `json:"sizes,omitempty"` // bytes of each replica's data; nil if there is none

	// Numbers has, for each replica of each piece, its events, its values and its series.
	Numbers []float64 `json:"-"`
	Data    [][]byte  `json:"-"` // of each replica; nil if there is none
}

// A Failure says which replica failed, and how.
type Failure struct {
	Point   int    `json:"point"`
	Replica int    `json:"replica"`
	Reason  string `json:"reason"`
	Text    string `json:"text"`
	Stack   string `json:"stack,omitempty"` // of a panic
}

// Encode encodes a result; it sets Sizes.
func (r *Result) Encode() ([]byte, error) {
	r.Sizes = sizes(r.Data)
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return frame.Join(head, append(frame.EncodeFloats(r.Numbers), bytes.Join(r.Data, nil)...)), nil
}

// DecodeResult decodes a result and rejects inconsistent ones, so that callers need not check.
func DecodeResult(data []byte) (*Result, error) {
	head, body, err := frame.Split(data)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	if err := json.Unmarshal(head, r); err != nil {
		return nil, err
	}
	if body, err = r.splitData(body); err != nil {
		return nil, err
	}
	if r.Numbers, err = frame.DecodeFloats(body); err != nil {
		return nil, err
	}
	if len(r.Lists) != len(r.Pieces) || len(r.Pieces) == 0 && r.Failure == nil {
		return nil, errors.New("a result without pieces")
	}
	if len(r.Series) > 0 && len(r.Series) != len(r.Names) {
		return nil, fmt.Errorf("a result with series of %d lists where there are %d", len(r.Series), len(r.Names))
	}
	size := 0
	for i, p := range r.Pieces {
		if r.Lists[i] < 0 || r.Lists[i] >= len(r.Names) || p.Point < 0 || p.First < 0 || p.Count < 1 ||
			p.Count > len(r.Numbers) ||
			r.SeriesOf(r.Lists[i]) < 0 || r.SeriesOf(r.Lists[i]) > MaxOutputs {
			return nil, fmt.Errorf("a result with a piece %v", p)
		}
		size += p.Count * (1 + len(r.Names[r.Lists[i]]) + r.SeriesOf(r.Lists[i]))
	}
	if size != len(r.Numbers) {
		return nil, fmt.Errorf("a result of %d numbers instead of %d", len(r.Numbers), size)
	}
	if r.Data != nil && len(r.Data) != r.Replicas() {
		return nil, fmt.Errorf("a result with data of %d replicas where there are %d", len(r.Data), r.Replicas())
	}
	for _, x := range r.Numbers {
		if math.Abs(x) > MaxNumber {
			return nil, fmt.Errorf("a result with %g", x)
		}
	}
	return r, nil
}

// SeriesOf is the length of the series that comes with a list.
func (r *Result) SeriesOf(list int) int {
	if list < len(r.Series) {
		return r.Series[list]
	}
	return 0
}

// MaxOutputs is the largest number of values of one replica.
const MaxOutputs = 1 << 14

// MaxNumber bounds the numbers of a replica: infinities, and numbers whose squares could become
// one, are rejected.
const MaxNumber = 1e300

// sizes returns the lengths of data, or nil if all are empty.
func sizes(data [][]byte) []int {
	all, any := make([]int, len(data)), false
	for i, d := range data {
		all[i] = len(d)
		any = any || len(d) > 0
	}
	if !any {
		return nil
	}
	return all
}

// splitData takes the data from the end of a body, and returns the rest.
func (r *Result) splitData(body []byte) (rest []byte, err error) {
	if len(r.Sizes) == 0 {
		return body, nil
	}
	total := 0
	for _, n := range r.Sizes {
		if n < 0 || n > len(body)-total {
			return nil, errors.New("the message is truncated")
		}
		total += n
	}
	rest, tail := body[:len(body)-total], body[len(body)-total:]
	for _, n := range r.Sizes {
		r.Data = append(r.Data, tail[:n:n])
		tail = tail[n:]
	}
	return rest, nil
}

// Replicas is the number of replicas in a result.
func (r *Result) Replicas() (n int) {
	for _, p := range r.Pieces {
		n += p.Count
	}
	return n
}

// AddData adds the data of the replica that was added last. Data stays nil until one has data.
func (r *Result) AddData(data []byte) {
	if r.Data == nil && len(data) == 0 {
		return
	}
	for len(r.Data) < r.Replicas()-1 {
		r.Data = append(r.Data, nil)
	}
	r.Data = append(r.Data, data)
}

// IsList reports whether a list has these names, and a series of this length.
func (r *Result) IsList(list int, names []string, series int) bool {
	return slices.Equal(r.Names[list], names) && r.SeriesOf(list) == series
}
