package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/calendar/timers"
)

// live keeps the time-outs of real sessions, by the wall clock: half of them have requests all the
// time, and the others none.
func live(sessions int, idle time.Duration) {
	var ts timers.Set
	defer ts.Close()
	type session struct {
		timeout timers.Timer // a value, and not a pointer
	}
	var open atomic.Int64
	open.Store(int64(sessions))
	all := make([]session, sessions)
	for i := range all {
		all[i].timeout = ts.AfterFunc(idle, func() { open.Add(-1) })
	}
	busy := all[:sessions/2]
	for int(open.Load()) > len(busy) {
		for i := range busy {
			busy[i].timeout.Reset(idle) // does not touch the queue: there is only a new deadline
		}
		time.Sleep(idle / 100)
	}
	fmt.Printf("by the wall clock: %d sessions, %d silent ones closed after %v, %d busy ones open\n",
		sessions, sessions-int(open.Load()), idle, ts.Len())
}
