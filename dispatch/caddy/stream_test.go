package caddyqueue

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A WebSocket holds its slot until it is closed.
func TestWebSocket(t *testing.T) {
	b := startBackend(t, echoing)
	in := start(t, block(to(b), "capacity 1"))
	conn, err := net.Dial("tcp", in.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(res, err)
	}
	echo := func() {
		t.Helper()
		fmt.Fprint(conn, "ping")
		got := make([]byte, 4)
		if _, err := io.ReadFull(r, got); err != nil || string(got) != "ping" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	echo()
	other := make(chan reply, 1)
	go func() { other <- in.get("/other") }()
	in.waiting(1)
	echo()
	if q := in.queues()[0]; q.InFlight != 1 || q.Waiting != 1 {
		t.Errorf("%+v", q)
	}
	conn.Close()
	if r := <-other; r.status != 200 || r.body != "/other" {
		t.Errorf("%+v", r)
	}
	if q := in.idle(); q.Completed != 2 {
		t.Errorf("%+v", q)
	}
}

// echoing sends back what it gets on a WebSocket.
func echoing(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "websocket" {
		ok(w, r)
		return
	}
	w.Header().Set("Upgrade", "websocket")
	w.Header().Set("Connection", "Upgrade")
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	io.Copy(conn, rw) // echoes
}

// Trailers of a backend reach the client, with a header of half a megabyte.
func TestTrailersAndLargeHeader(t *testing.T) {
	large := strings.Repeat("x", 500<<10)
	b := startBackend(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Large", large)
		w.Header().Set("Trailer", "X-End")
		io.WriteString(w, "body")
		w.Header().Set("X-End", "the end")
	})
	in := start(t, block(to(b), "capacity 1"))
	for range 3 {
		res, err := in.client.Get("http://" + in.address + "/")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(text) != "body" || res.Trailer.Get("X-End") != "the end" || res.Header.Get("X-Large") != large {
			t.Errorf("%q, %v, %v, %d bytes of a header", text, err, res.Trailer, len(res.Header.Get("X-Large")))
		}
	}
	if q := in.idle(); q.Completed != 3 || q.Failed != 0 {
		t.Errorf("%+v", q)
	}
}

// A gRPC stream holds its slot until it ends, and its messages and trailers arrive.
func TestGRPC(t *testing.T) {
	echo := func(_ any, s grpc.ServerStream) error {
		s.SetTrailer(metadata.Pairs("count", "2"))
		for {
			var m wrapperspb.StringValue
			switch err := s.RecvMsg(&m); {
			case err == io.EOF:
				return status.Error(codes.DataLoss, "the end")
			case err != nil:
				return err
			}
			if err := s.SendMsg(&m); err != nil {
				return err
			}
		}
	}
	desc := grpc.StreamDesc{StreamName: "Echo", Handler: echo, ServerStreams: true, ClientStreams: true}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.Test", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{desc},
	}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(server.Stop)

	in := start(t, block("to h2c://"+l.Addr().String(), "capacity 1"))
	cc, err := grpc.NewClient("passthrough:///"+in.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer cc.Close()
	open := func() grpc.ClientStream {
		t.Helper()
		s, err := cc.NewStream(context.Background(), &desc, "/test.Test/Echo")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	exchange := func(s grpc.ClientStream, text string) {
		t.Helper()
		var m wrapperspb.StringValue
		if err := s.SendMsg(wrapperspb.String(text)); err != nil {
			t.Fatal(err)
		}
		if err := s.RecvMsg(&m); err != nil || m.Value != text {
			t.Fatal(m.Value, err)
		}
	}
	finish := func(s grpc.ClientStream) {
		t.Helper()
		if err := s.CloseSend(); err != nil {
			t.Error(err)
		}
		var m wrapperspb.StringValue
		if err := s.RecvMsg(&m); status.Code(err) != codes.DataLoss || strings.Join(s.Trailer()["count"], "") != "2" {
			t.Errorf("%v, trailers %v", err, s.Trailer())
		}
	}
	first := open()
	exchange(first, "one")
	second := open()
	in.waiting(1)
	exchange(first, "two")
	if q := in.queues()[0]; q.InFlight != 1 || q.Waiting != 1 {
		t.Errorf("%+v", q)
	}
	finish(first)
	exchange(second, "three")
	finish(second)
	if q := in.idle(); q.Completed != 2 || q.Failed != 0 {
		t.Errorf("%+v", q)
	}
}
