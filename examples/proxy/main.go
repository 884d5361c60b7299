// Proxy puts a reverse proxy before some servers, each of which gets at most a few requests at
// once. Many requests arrive, a server dies, and then more requests arrive than there is room for.
//
//	go run ./examples/proxy -backends 5 -capacity 3
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
)

func main() {
	backends := flag.Int("backends", 3, "number of servers")
	capacity := flag.Int("capacity", 2, "most requests at a server at once")
	flag.Parse()
	if *backends < 2 || *backends > 10 || *capacity < 1 || *capacity > 5 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "proxy: -backends is from 2 to 10, -capacity from 1 to 5, "+
			"and there are no other arguments")
		os.Exit(2)
	}
	if err := run(*backends, *capacity); err != nil {
		fmt.Fprintln(os.Stderr, "proxy:", err)
		os.Exit(1)
	}
}

func run(n, capacity int) error {
	var over atomic.Int64 // how often a server had more than its capacity
	var servers []*httptest.Server
	var urls []*url.URL
	for range n {
		var now atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if now.Add(1) > int64(capacity) {
				over.Add(1)
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
		}))
		defer s.Close()
		servers, urls = append(servers, s), append(urls, &url.URL{Scheme: "http", Host: s.Listener.Addr().String()})
	}
	t, err := dispatchhttp.NewTransport(urls,
		dispatchhttp.Capacity(capacity), dispatchhttp.AttemptTimeout(10*time.Second))
	if err != nil {
		return err
	}
	rewrite := func(r *httputil.ProxyRequest) { r.SetXForwarded() }
	proxy := &httputil.ReverseProxy{Transport: t, Rewrite: rewrite, ErrorHandler: dispatchhttp.ErrorHandler}
	room := 10 * n * capacity
	limit := dispatchhttp.Limit(proxy, dispatchhttp.Capacity(n*capacity), dispatchhttp.PoolLimit(room))
	front := httptest.NewServer(limit)
	defer front.Close()

	fmt.Printf("%d requests at once: %v\n", room, ask(front.URL, room))
	servers[0].Close()
	fmt.Printf("a server dies, and %d more come: %v; it has failed: %v\n",
		room, ask(front.URL, room), t.Stats().Backends[0].Failed > 0)
	t.Set(nil) // no servers: requests wait, as many as there is room for
	go func() {
		for limit.Stats().Requests < uint64(4*room) {
			time.Sleep(time.Millisecond)
		}
		t.Set(urls[1:])
	}()
	fmt.Printf("no server until %d more have come: %v\n", 2*room, ask(front.URL, 2*room))
	fmt.Printf("a server had more than %d, %d times\n", capacity, over.Load())
	return t.Close(context.Background())
}

// ask sends requests, all at once, and returns the number of responses by status.
func ask(url string, requests int) map[string]int {
	responses := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			status := "no response"
			if res, err := http.Get(url); err == nil {
				status = res.Status
				res.Body.Close()
			}
			mu.Lock()
			defer mu.Unlock()
			responses[status]++
		})
	}
	all.Wait()
	return responses
}
