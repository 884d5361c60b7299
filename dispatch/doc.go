// Package dispatch hands work to workers in one process: at most c items at each worker, the others in a pool, and the
// oldest first. It is the rule of CAPPED (package capped) for real work, without rounds.
//
// A [Dispatcher] takes items and returns at once; a [Caller] returns what the worker returned. Package dispatchhttp does
// the same for HTTP requests and servers, and package dispatchprom shows both to Prometheus. docs/dispatch.md says when
// to use them.
package dispatch
