// Command almanac-wasm writes a web page with a model in it that runs where it is opened: no
// server, no installation, one file, for teaching and for papers. Its numbers are those of almanac
// run.
//
//	go run ./cmd/almanac-wasm --out sir.html examples/sir.yaml
//
// The package is two programs. build.go is the command: it compiles the other one to WebAssembly
// and puts it, compressed, into page.html together with page.js, worker.js, and the model with its
// tables. main_js.go is the program in the page. Both use respond.go, which runs a model: so tests
// do without a browser, but one.
package main
