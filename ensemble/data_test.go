//go:build linux || darwin

package ensemble

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What replicas give beside numbers arrives, whole and in order, when a job that keeps it is
// interrupted and goes on, and again when it is done.
func TestDataOfReplicas(t *testing.T) {
	g := new(Registry)
	data := func(point, replica int) string {
		return strings.Repeat(fmt.Sprintf("%d.%d ", point, replica), (point+replica)%4) // at times nothing
	}
	g.AddKind(Kind{Name: "data", Version: "1", Open: func([]byte) (Model, error) {
		return modelFunc(func(p Point) (Runner, error) {
			var point int
			_, err := fmt.Sscan(p.Set["point"], &point)
			return func(_ context.Context, r Replica) (Values, error) {
				return Values{Names: []string{"x"}, Numbers: []float64{float64(r.Number)}, Events: 3,
					Data: []byte(data(point, r.Number))}, nil
			}, err
		}), nil
	}})
	job := Job{Kind: "data", Replicas: 200, Keep: true}
	for i := range 3 {
		job.Points = append(job.Points, Point{Set: map[string]string{"point": fmt.Sprint(i)}})
	}
	o := here{State: filepath.Join(quickDir(t), ".state"), RunOptions: RunOptions{Registry: g, TaskTime: time.Millisecond}}
	enough := errors.New("enough")
	for _, stopAt := range []int{250, 10_000, 10_000} {
		next, n := make([]int, 3), 0
		o.Replica = func(point, replica int, v Values) error {
			if replica != next[point] || v.Numbers[0] != float64(replica) || v.Events != 3 || string(v.Data) !=
				data(point, replica) {
				t.Errorf("point %d, replica %d: %v where replica %d is due", point, replica, v, next[point])
			}
			next[point]++
			if n++; n == stopAt {
				return enough
			}
			return nil
		}
		outcome, err := o.run(t.Context(), job)
		switch {
		case stopAt < 600 && !errors.Is(err, enough):
			t.Fatal(err)
		case stopAt > 600 && (err != nil || n != 600):
			t.Fatalf("%d replicas, %v, %+v", n, err, outcome)
		}
	}
}

// A replica whose data is too large fails the job.
func TestDataTooLarge(t *testing.T) {
	g := new(Registry)
	g.AddKind(Kind{Name: "data", Version: "1", Open: func([]byte) (Model, error) {
		return modelFunc(func(Point) (Runner, error) {
			return func(context.Context, Replica) (Values, error) {
				return Values{Names: []string{"x"}, Numbers: []float64{1}, Data: make([]byte, MaxData+1)}, nil
			}, nil
		}), nil
	}})
	_, err := here{State: filepath.Join(quickDir(t), ".state"), RunOptions: RunOptions{Registry: g}}.run(t.Context(),
		Job{Kind: "data", Replicas: 1, Points: make([]Point, 1)})
	var failed *ReplicaError
	if !errors.As(err, &failed) || !strings.Contains(failed.Text, "655361 bytes; 655360 are the most") {
		t.Error(err)
	}
}

type modelFunc func(Point) (Runner, error)

func (f modelFunc) At(p Point) (Runner, error) { return f(p) }
