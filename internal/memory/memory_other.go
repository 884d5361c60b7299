//go:build !linux && !darwin

package memory

func peak() uint64 { return 0 }
