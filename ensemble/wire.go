package ensemble

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// A piece is a range of replicas of a point.
type piece struct {
	Point int `json:"p"`
	First int `json:"f"`
	Count int `json:"n"`
}

// A task is what a worker is given. It is named by where it begins.
type task struct {
	Job     string        `json:"job"`
	Version string        `json:"version"`
	Pieces  []piece       `json:"pieces"`
	Cut     time.Duration `json:"cut"` // after so long, a worker stops between replicas and stores what it has
}

// A key names a task, and its result, within a job.
type key struct{ point, first int }

func (t *task) key() key { return key{t.Pieces[0].Point, t.Pieces[0].First} }

func (t *task) check() error {
	if len(t.Pieces) == 0 {
		return errors.New("a task of nothing")
	}
	for _, p := range t.Pieces {
		if p.Point < 0 || p.First < 0 || p.Count < 1 || p.Count > math.MaxInt32-p.First {
			return fmt.Errorf("a task with a piece %v", p)
		}
	}
	return nil
}

// A result is what a worker stores: the first replicas of a task, all of them or fewer, and why
// there are no more if one failed.
type result struct {
	Version   string        `json:"version"`
	Pieces    []piece       `json:"pieces"`
	Names     [][]string    `json:"names"`            // lists of names
	Series    []int         `json:"series,omitempty"` // how many numbers without a name come with each list
	Lists     []int         `json:"lists"`            // which of them is each piece's
	Failure   *failure      `json:"failure,omitempty"`
	Took      time.Duration `json:"took"`
	Worker    string        `json:"worker"`
	Delivered uint64        `json:"delivered"`       // how often the task was handed out by then
	Sizes     []int         `json:"sizes,omitempty"` // bytes of the data of each replica, if any has data

	// numbers has, for each replica of each piece, its events, its values, and then its series.
	numbers []float64
	data    [][]byte // of each replica, or nothing if none has any
}

// A failure says which replica failed, and how.
type failure struct {
	Point   int    `json:"point"`
	Replica int    `json:"replica"`
	Reason  string `json:"reason"`
	Text    string `json:"text"`
}

func (r *result) encode() ([]byte, error) {
	r.Sizes = sizes(r.data)
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return frame(head, append(floatBytes(r.numbers), bytes.Join(r.data, nil)...)), nil
}

// decodeResult refuses what does not fit together, so that the rest of the package need not look.
func decodeResult(data []byte) (*result, error) {
	head, body, err := unframe(data)
	if err != nil {
		return nil, err
	}
	r := new(result)
	if err := json.Unmarshal(head, r); err != nil {
		return nil, err
	}
	if body, err = r.splitData(body); err != nil {
		return nil, err
	}
	if r.numbers, err = floats(body); err != nil {
		return nil, err
	}
	if len(r.Lists) != len(r.Pieces) || len(r.Pieces) == 0 && r.Failure == nil {
		return nil, errors.New("a result of nothing")
	}
	if len(r.Series) > 0 && len(r.Series) != len(r.Names) {
		return nil, fmt.Errorf("a result with series of %d lists where there are %d", len(r.Series), len(r.Names))
	}
	size := 0
	for i, p := range r.Pieces {
		if r.Lists[i] < 0 || r.Lists[i] >= len(r.Names) || p.Point < 0 || p.First < 0 || p.Count < 1 ||
			p.Count > len(r.numbers) ||
			r.seriesOf(r.Lists[i]) < 0 || r.seriesOf(r.Lists[i]) > MaxOutputs {
			return nil, fmt.Errorf("a result with a piece %v", p)
		}
		size += p.Count * (1 + len(r.Names[r.Lists[i]]) + r.seriesOf(r.Lists[i]))
	}
	if size != len(r.numbers) {
		return nil, fmt.Errorf("a result of %d numbers where %d belong", len(r.numbers), size)
	}
	if r.data != nil && len(r.data) != r.replicas() {
		return nil, fmt.Errorf("a result with data of %d replicas where there are %d", len(r.data), r.replicas())
	}
	for _, x := range r.numbers {
		if math.Abs(x) > maxNumber {
			return nil, fmt.Errorf("a result with %g", x)
		}
	}
	return r, nil
}

// seriesOf is how many numbers without a name come with a list.
func (r *result) seriesOf(list int) int {
	if list < len(r.Series) {
		return r.Series[list]
	}
	return 0
}

// maxNumber is the largest number that a replica may give: infinities, and what would become one,
// are refused.
const maxNumber = 1e300

// frame puts a head and a body into one message: the head's length in four bytes, the head, the
// body.
func frame(head, body []byte) []byte {
	data := make([]byte, 4, 4+len(head)+len(body))
	binary.LittleEndian.PutUint32(data, uint32(len(head)))
	return append(append(data, head...), body...)
}

func unframe(data []byte) (head, body []byte, err error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, nil, errors.New("a message that is cut short")
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	return data[4:n:n], data[n:], nil
}

func floatBytes(numbers []float64) []byte {
	b := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func floats(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, errors.New("a message that is cut short")
	}
	numbers := make([]float64, len(b)/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return numbers, nil
}
