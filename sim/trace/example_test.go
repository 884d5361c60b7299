package trace_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/trace"
)

var ctx = context.Background()

func ExampleText() {
	s := sim.New(sim.TraceTo(trace.Text(os.Stdout)))
	s.Go("ann", func(p *sim.Process) { p.Wait(2.5) })
	s.At(1, func() {}, sim.Named("bell"))
	s.Run(ctx, 10)
	// Output:
	//            0  start      ann
	//            0  wait       ann               2.5
	//            1  event      bell
	//          2.5  resume     ann
	//          2.5  end        ann
}

func ExampleRecord() {
	s := sim.New(sim.TraceTo(func(r trace.Record) {
		if r.Kind == trace.Grant {
			fmt.Println(r.Time, r.Who, r.What)
		}
	}))
	desk := sim.NewResource(s, "desk", 2)
	s.Go("ann", func(p *sim.Process) { desk.Use(p, 2, func() error { return p.Wait(1) }) })
	s.Go("bob", func(p *sim.Process) { desk.Use(p, 1, func() error { return p.Wait(1) }) })
	s.Run(ctx, 10)
	// Output:
	// 0 ann desk: 2, in use 2 of 2
	// 1 bob desk: 1, in use 1 of 2
}

func ExampleJSON() {
	s := sim.New(sim.TraceTo(trace.JSON(os.Stdout)))
	s.At(1, func() {}, sim.Named("bell"))
	s.Run(ctx, 10)
	// Output:
	// {"time":1,"kind":"event","who":"bell"}
}

func ExampleKind() {
	turns := 0
	s := sim.New(sim.TraceTo(func(r trace.Record) {
		if r.Kind == trace.Start || r.Kind == trace.Resume {
			turns++
		}
	}))
	s.Go("ann", func(p *sim.Process) { p.Wait(1) })
	s.Run(ctx, 10)
	fmt.Println(turns, trace.Resume)
	// Output: 2 resume
}

func ExampleLog() {
	l := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime}))
	s := sim.New(sim.TraceTo(trace.Log(l)))
	s.At(1, func() {}, sim.Named("bell"))
	s.Run(ctx, 10)
	// Output: level=DEBUG msg=event time=1 who=bell what=""
}

// noTime drops the time of the wall clock, which differs from run to run.
func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindTime {
		return slog.Attr{}
	}
	return a
}
