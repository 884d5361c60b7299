package proxy

import (
	"bytes"
	"net/http"
	"sync/atomic"
	"time"
)

// A plainAnswer is an answer that is here as a whole, and can be read in one way only: HTTP/1.1, with a length that is a number, or with no body by what was asked or
// its status. Its parts are where it was read.
type plainAnswer struct {
	status int
	closes bool // the backend will
	out    []byte
	head   int // where headers end in it
}

// readPlainAnswer reads an answer, if it is plain and no byte follows it, and writes it to out as a client gets it. What is not plain is for net/http to judge.
func readPlainAnswer(text []byte, toHead bool, mostHead int, out []byte) (a plainAnswer, ok bool) {
	line, rest, ok := nextLine(text)
	if !ok || len(line) < len("HTTP/1.1 200 ") || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) || line[12] != ' ' || !all(line, inAnswer) {
		return a, false
	}
	if a.status, ok = number(line[9:12]); !ok || a.status < 200 || a.status > 599 {
		return a, false
	}
	a.out = append(append(out, line...), "\r\n"...)
	length, dated, connection := -1, false, false
	for {
		if line, rest, ok = nextLine(rest); !ok {
			return a, false
		}
		if len(line) == 0 {
			break
		}
		name, value, ok := nextField(line)
		if !ok || !all(value, inAnswer) {
			return a, false
		}
		switch lower(name[0]) {
		case 'c':
			switch {
			case same(name, "content-length"):
				n, good := number(value)
				if !good || length >= 0 {
					return a, false
				}
				length = n
			case same(name, "connection"):
				if a.closes = same(value, "close"); connection || !a.closes && !same(value, "keep-alive") {
					return a, false
				}
				connection = true
				continue
			}
		case 'd':
			dated = dated || same(name, "date")
		case 'k', 'p', 't', 'u':
			if same(name, "keep-alive") || begins(name, "proxy-") || same(name, "te") || same(name, "trailer") || same(name, "transfer-encoding") || same(name, "upgrade") {
				return a, false
			}
		}
		a.out = append(append(append(append(a.out, name...), ": "...), value...), "\r\n"...)
	}
	switch {
	case a.status == http.StatusNotModified || a.status == http.StatusNoContent:
		if length >= 0 { // which says nothing of what follows
			return a, false
		}
		length = 0
	case toHead:
		length = 0
	}
	if len(text)-len(rest) > mostHead || len(rest) != length { // not all of it is here, or more than all, or there is no length
		return a, false
	}
	if !dated {
		a.out = appendDate(a.out)
	}
	a.head = len(a.out)
	a.out = append(append(a.out, "\r\n"...), rest...)
	return a, true
}

// number reads 1 to 9 digits.
func number(text []byte) (n int, ok bool) {
	if len(text) == 0 || len(text) > 9 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// appendDate writes the header with the time (RFC 9110, section 6.6.1), for an answer that has none. It is made once a second.
func appendDate(b []byte) []byte {
	now := time.Now()
	d := lastDate.Load()
	if d == nil || d.second != now.Unix() {
		d = &date{now.Unix(), "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"}
		lastDate.Store(d)
	}
	return append(b, d.line...)
}

type date struct {
	second int64
	line   string
}

var lastDate atomic.Pointer[date]
