package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// firstBuffer is what a body is given before anything of it has come, so that those who only promise one cost little.
const firstBuffer = 4 << 10

// takeIn reads the body of a request, as far as it may be buffered, before a slot is asked for. If all of it is here, it can also be sent again. The rest streams.
// What it returns gives back the memory.
func (p *Proxy) takeIn(r *http.Request, body *pacedReader, s *settings) (release func(), err error) {
	release = func() {}
	// A proxy may drop trailers, and programs are known to take them for headers. They are set when the end of the body is read, and ReverseProxy sends a copy of what there is before.
	defer func() { r.Trailer = nil }()
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		return release, nil // whose clients may wait for an answer in the middle of their body
	}
	var buffer []byte
	taken, most := 0, int(s.bodyBuffer)
	release = func() { p.budget.give(taken) }
	for {
		if len(buffer) == cap(buffer) {
			size := max(firstBuffer, 2*cap(buffer))
			if l := r.ContentLength; l >= 0 && l < int64(size) {
				size = int(l) + 1 // one more, to see the end
			}
			size = min(size, most)
			if size <= cap(buffer) || !p.budget.take(size-cap(buffer)) {
				break
			}
			taken = size
			buffer = append(make([]byte, 0, size), buffer...)
		}
		n, err := r.Body.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err == io.EOF {
			r.ContentLength, r.TransferEncoding = int64(len(buffer)), nil
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buffer)), nil }
			r.Body, _ = r.GetBody()
			return release, nil
		}
		if err != nil {
			return release, err
		}
	}
	if r.ProtoMajor == 1 {
		// The answer may begin before all of the body is here.
		body.control.EnableFullDuplex()
	}
	r.Body = &partly{Reader: io.MultiReader(bytes.NewReader(buffer), r.Body), Closer: r.Body}
	return release, nil
}

type partly struct {
	io.Reader
	io.Closer
}
