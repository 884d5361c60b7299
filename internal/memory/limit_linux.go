package memory

import "syscall"

// limit is a limit of this program, as ulimit sets it.
func limit(of string) uint64 {
	which := syscall.RLIMIT_AS
	if of == "data" {
		which = syscall.RLIMIT_DATA
	}
	var l syscall.Rlimit
	if err := syscall.Getrlimit(which, &l); err != nil {
		return Unknown
	}
	return l.Cur // all ones if there is none
}
