// Package progress shows how far a long command has come: a bar on a terminal, and nothing where
// there is none. Programs get lines of JSON if they set [Variable].
package progress

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A Bar shows one task. A nil Bar shows nothing.
type Bar struct {
	container *mpb.Progress
	bar       *mpb.Bar
	next      atomic.Value // string: what comes next, read by the bar's own goroutine
	lines     *lines       // instead of a bar
}

// New starts a bar on w, which is best standard error. Where w is no terminal nothing is ever
// written, unless [Variable] asks for lines.
func New(w io.Writer) *Bar {
	if os.Getenv(Variable) == "json" {
		return &Bar{lines: &lines{w: w}}
	}
	b := &Bar{container: mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))}
	b.next.Store("")
	b.bar = b.container.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Percentage(decor.WC{W: 5})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.next.Load().(string) })),
	)
	return b
}

// Set tells how many steps are done, of how many, and which comes next.
func (b *Bar) Set(done, of int, next string) {
	if b == nil {
		return
	}
	if b.lines != nil {
		b.lines.set(done, of, next)
		return
	}
	b.next.Store(next)
	b.bar.SetTotal(int64(of), false)
	b.bar.SetCurrent(int64(done))
}

// Close takes the bar away.
func (b *Bar) Close() {
	if b == nil || b.lines != nil {
		return
	}
	b.bar.Abort(true)
	b.container.Wait()
}
