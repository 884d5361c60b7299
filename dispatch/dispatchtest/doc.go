// Package dispatchtest has a reference implementation of the rule of package dispatch, as plain as
// possible and without concurrency. Package dispatch is compared with it step by step and shares no
// code with it; compare your own implementation in the same way.
//
// reference.go has the rule, and a check of its guarantees.
package dispatchtest
