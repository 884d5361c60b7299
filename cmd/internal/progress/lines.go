package progress

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Variable is the environment variable that asks for progress as lines of JSON, with the value
// json. Programs that start the command read them, where a bar would be for a person.
const Variable = "ALMANAC_PROGRESS"

// interval is the least time between two lines.
const interval = 100 * time.Millisecond

// A line is what a program reads: the share that is done, and the words beside the bar.
type line struct {
	Progress float64 `json:"progress"`
	Text     string  `json:"text"`
}

// lines writes progress as lines of JSON, ten a second at most. The first comes at once.
type lines struct {
	mu   sync.Mutex
	w    io.Writer
	last time.Time
}

func (l *lines) set(done, of int, next string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if of <= 0 || !l.last.IsZero() && now.Sub(l.last) < interval {
		return
	}
	l.last = now
	text, err := json.Marshal(line{min(1, float64(done)/float64(of)), next})
	if err != nil {
		return // a line of two plain values can be encoded
	}
	_, _ = l.w.Write(append(text, '\n')) // if nobody reads it, the result still counts
}
