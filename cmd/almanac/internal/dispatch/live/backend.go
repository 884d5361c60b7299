package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WorkPath is where backends work: /work?us=1500 takes 1.5 ms of a worker.
const WorkPath = "/work"

// ServeBackend has a listener answer requests until the context ends. A backend works on some requests at once, and the others wait in the order
// in which they came. Work is time that passes: backends share the machine with what is measured, and should not take its processors.
func ServeBackend(ctx context.Context, l net.Listener, workers int, times float64) error {
	free := make(chan struct{}, workers)
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			us, err := strconv.ParseFloat(r.URL.Query().Get("us"), 64)
			if r.URL.Path != WorkPath || err != nil || !(us >= 0 && us <= 1e9) {
				http.NotFound(w, r)
				return
			}
			select {
			case free <- struct{}{}:
			case <-r.Context().Done():
				return
			}
			time.Sleep(time.Duration(us * times * 1e3))
			<-free
			io.WriteString(w, answer)
		}),
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// answer is a small one, of 64 bytes.
var answer = strings.Repeat("almanac ", 8)

// ServePlain has a listener give the same answer to everything that looks like a request without a body, at as little cost as can be: so that in the
// closed loop the proxy is what limits.
func ServePlain(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	response := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: text/plain\r\n\r\n%s", len(answer), answer)
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		go func() {
			defer conn.Close()
			r := bufio.NewReader(conn)
			for {
				line, err := r.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(bytes.TrimRight(line, "\r\n")) > 0 {
					continue
				}
				if _, err := conn.Write(response); err != nil {
					return
				}
			}
		}()
	}
}
