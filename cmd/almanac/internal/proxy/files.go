package proxy

// ownFiles are what the proxy needs beside connections: listeners, those of who looks at its status, standard streams, what is being read again.
const ownFiles = 32

// within is how many connections of clients there can be if a process may have so many files open, of which backends need one for each slot: what is wanted, or what
// is left. Clients that are idle would otherwise take those that are needed to answer others.
func within(wanted, files, slots int) int {
	return max(1, min(wanted, files-slots-ownFiles))
}
