//go:build js

package main

import (
	"runtime/debug"
	"syscall/js"
)

// main waits for requests of worker.js: almanac(request, progress, done) calls done with the
// response, both JSON. It is called in a worker, so it may take its time.
func main() {
	debug.SetMemoryLimit(3 << 30) // more garbage than that is collected, before the 4 GB are full
	js.Global().Set("almanac", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, progress, done := args[0].String(), args[1], args[2]
		// In a goroutine of its own: while a function of Go runs for JavaScript, no other goroutine does.
		go func() {
			done.Invoke(respondJSON(text, func(share float64) { progress.Invoke(share) }))
		}()
		return nil
	}))
	js.Global().Call("almanacReady")
	select {}
}
