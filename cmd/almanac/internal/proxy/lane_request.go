package proxy

import (
	"bytes"
	"net/netip"
)

// mostPlain is how large the head of a plain request may be.
const mostPlain = 4000

// A plainRequest is a request that can be read in one way only: GET or HEAD in HTTP/1.1, without a body, with one host, and with nothing that a proxy has
// to think about. Its parts are where its head is.
type plainRequest struct {
	head   bool   // HEAD, and not GET
	target []byte // a path, and perhaps a query
	host   []byte
	rest   []byte // the lines of all headers but the host and Connection: keep-alive, one after the other, each with its end
	size   int    // of the head
}

// Characters by what they may be part of.
const (
	inName   = 1 << iota // a token (RFC 9110, section 5.6.2), but not _, which some take for -
	inPath               // a path that net/url writes as it reads it
	inQuery              // a query
	inHost               // a host and a port
	inValue              // the value of a header of a request
	inAnswer             // and of one of an answer
	isHex
)

var characters = func() (is [256]uint8) {
	for c := range 256 {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		set := func(good bool, bit uint8) {
			if good {
				is[c] |= bit
			}
		}
		within := func(s string) bool { return bytes.IndexByte([]byte(s), byte(c)) >= 0 }
		set(letter || digit || within("!#$%&'*+-.^`|~"), inName)
		set(letter || digit || within("-._~!$&'()*+,;=:@/"), inPath)
		set(c > ' ' && c < 0x7f && c != '#', inQuery)
		set(letter || digit || within(".-:"), inHost)
		set(c >= ' ' && c < 0x7f, inValue)
		set(c >= ' ' && c != 0x7f || c == '\t', inAnswer)
		set(digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', isHex)
	}
	return is
}()

// all reports whether characters are all of a kind.
func all(text []byte, kind uint8) bool {
	for _, c := range text {
		if characters[c]&kind == 0 {
			return false
		}
	}
	return true
}

// lower is a letter as a small one.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// same reports whether a name is another, which is in small letters.
func same(name []byte, small string) bool {
	if len(name) != len(small) {
		return false
	}
	for i, c := range name {
		if lower(c) != small[i] {
			return false
		}
	}
	return true
}

func begins(name []byte, small string) bool {
	return len(name) >= len(small) && same(name[:len(small)], small)
}

// thinks reports whether a header of a request is one that a proxy acts on: those that frame it, hop-by-hop ones, those that say where it came from, and
// those that net/http or we change.
func thinks(name []byte) bool {
	switch lower(name[0]) {
	case 'c':
		return same(name, "connection") || same(name, "content-length")
	case 'e':
		return same(name, "expect")
	case 'f':
		return same(name, "forwarded")
	case 'h':
		return same(name, "host") || same(name, "http2-settings")
	case 'k':
		return same(name, "keep-alive")
	case 'm':
		return same(name, "max-forwards")
	case 'p':
		return same(name, "pragma") || begins(name, "proxy-")
	case 'r':
		return same(name, "request-birth")
	case 't':
		return same(name, "te") || same(name, "trailer") || same(name, "transfer-encoding")
	case 'u':
		return same(name, "upgrade")
	case 'v':
		return same(name, "via")
	case 'x':
		return begins(name, "x-forwarded-") || same(name, "x-real-ip")
	}
	return false
}

// nextLine cuts a line off that ends with CR LF; what is before has neither.
func nextLine(text []byte) (line, rest []byte, ok bool) {
	i := bytes.IndexByte(text, '\n')
	if i < 1 || text[i-1] != '\r' {
		return nil, nil, false
	}
	return text[:i-1], text[i+1:], true
}

// nextField cuts a header off: its name, and its value without space around it.
func nextField(line []byte) (name, value []byte, ok bool) {
	i := bytes.IndexByte(line, ':')
	if i < 1 || !all(line[:i], inName) {
		return nil, nil, false
	}
	return line[:i], bytes.Trim(line[i+1:], " \t"), true
}

// readPlain reads the head of a request if all of it is here and it is plain. scratch is where its lines go.
func readPlain(text, scratch []byte) (r plainRequest, ok bool) {
	line, rest, ok := nextLine(text)
	if !ok {
		return r, false
	}
	switch {
	case bytes.HasPrefix(line, []byte("GET /")):
		line = line[4:]
	case bytes.HasPrefix(line, []byte("HEAD /")):
		r.head, line = true, line[5:]
	default:
		return r, false
	}
	if r.target, ok = bytes.CutSuffix(line, []byte(" HTTP/1.1")); !ok || !plainTarget(r.target) {
		return r, false
	}
	r.rest = scratch[:0]
	kept := false
	for {
		if line, rest, ok = nextLine(rest); !ok {
			return r, false
		}
		if len(line) == 0 {
			r.size = len(text) - len(rest)
			return r, r.host != nil && r.size <= mostPlain
		}
		name, value, ok := nextField(line)
		if !ok || !all(value, inValue) {
			return r, false
		}
		switch {
		case !thinks(name):
			r.rest = append(append(append(append(r.rest, name...), ": "...), value...), "\r\n"...)
		case same(name, "host"):
			if r.host != nil || len(value) == 0 || !all(value, inHost) {
				return r, false
			}
			r.host = value
		case same(name, "connection"):
			if kept || !same(value, "keep-alive") {
				return r, false
			}
			kept = true
		default:
			return r, false
		}
	}
}

// plainTarget reports whether a target is a path, and perhaps a query, that net/http would pass on as it is.
func plainTarget(target []byte) bool {
	path, query, _ := bytes.Cut(target, []byte("?"))
	if len(path) > 1 && path[1] == '/' {
		return false
	}
	for i := 0; i < len(path); i++ {
		if path[i] == '%' {
			if i+2 >= len(path) || characters[path[i+1]]&characters[path[i+2]]&isHex == 0 {
				return false
			}
			i += 2
		} else if characters[path[i]]&inPath == 0 {
			return false
		}
	}
	return all(query, inQuery)
}

// appendTo writes the request as a backend gets it: the headers are those that rewrite and forwarded make. peer is who asks, from is that as Forwarded has it.
func (r *plainRequest) appendTo(b []byte, peer, from, birth string) []byte {
	if r.head {
		b = append(b, "HEAD "...)
	} else {
		b = append(b, "GET "...)
	}
	b = append(append(b, r.target...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, r.host...), "\r\n"...)
	b = append(b, r.rest...)
	b = append(append(b, "Via: 1.1 almanac\r\nX-Forwarded-For: "...), peer...)
	b = append(append(b, "\r\nX-Forwarded-Host: "...), r.host...)
	b = append(append(b, "\r\nX-Forwarded-Proto: http\r\nForwarded: for="...), from...)
	b = append(b, ";proto=http;host="...)
	if bytes.IndexByte(r.host, ':') >= 0 {
		b = append(append(append(b, '"'), r.host...), '"')
	} else {
		b = append(b, r.host...)
	}
	if birth != "" {
		b = append(append(b, "\r\nRequest-Birth: "...), birth...)
	}
	return append(b, "\r\n\r\n"...)
}

// peerOf is who is at the other end, as X-Forwarded-For has it and as Forwarded has it.
func peerOf(remote string) (peer, from string) {
	a, err := netip.ParseAddrPort(remote)
	if err != nil {
		return "unknown", "unknown"
	}
	peer = a.Addr().WithZone("").String()
	return peer, quoted(nodeOf(peer))
}
