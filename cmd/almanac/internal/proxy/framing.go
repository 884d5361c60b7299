package proxy

import (
	"errors"
	"net"
	"strconv"
	"strings"
)

// net/http takes a request with both a Content-Length and a Transfer-Encoding, forgets the first, and tells nobody. RFC 9112, section 6.1, has a server refuse such a
// request, or read it by its chunks and close the connection: it is how requests are smuggled past who reads it by its length. Here it is refused, before net/http
// sees it.

// strict is a listener of connections that are watched.
type strict struct{ net.Listener }

func (l strict) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watched{Conn: c}, nil
}

// watched is a connection of HTTP/1 on its way to a server. What it reads passes as it came, but for one byte of a head that has both: the colon of the second becomes
// NUL, and with that the server refuses the request as malformed; so it is with the headers that matter here if they are folded, or a length of more than 24 characters. So the server alone decides what a request is and when it has come, and the
// watch only has to know where the next head begins: at once, or behind as many bytes as Content-Length says. It goes on for as long as that is certain:
//
//   - after a chunked request the handler closes the connection, and so it does after one for a WebSocket that did not become one; what follows is not looked at;
//   - a head that the server refuses anyway is the last;
//   - HTTP/2 is not for us to look at.
type watched struct {
	net.Conn
	state  watchState
	name   word   // of the header in this line
	value  word   // if it is one that matters
	which  header // it is
	length int64  // that was said, −1 if none was
	wrong  bool   // what was said is no length, or not the same twice; the server refuses it
	chunks bool   // there is a Transfer-Encoding
	socket bool   // a WebSocket is asked for
	skip   int64  // of the body
}

type watchState uint8

const (
	atHead watchState = iota
	atRequestLine
	atLine
	atEnd // a CR was at its beginning
	atName
	atValue
	atBody
	notWatched
)

// header is which of the headers that matter a line is.
type header uint8

const (
	another header = iota
	contentLength
	transferEncoding
	upgrade
)

// A word is a short text; a longer one is none that matters.
type word struct {
	text [24]byte
	n    int
}

func (w *word) add(b byte) {
	if w.n < len(w.text) {
		w.text[w.n] = b
	}
	w.n++
}

func (w *word) String() string {
	if w.n > len(w.text) {
		return ""
	}
	return string(w.text[:w.n])
}

func (c *watched) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.watch(p[:n])
	return n, err
}

// CloseWrite ends one direction.
func (c *watched) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return errors.ErrUnsupported
}

// watch looks at what comes next.
func (c *watched) watch(p []byte) {
	for i := 0; i < len(p); i++ {
		b := p[i]
		switch c.state {
		case atHead: // where a server skips empty lines, or refuses them
			if b != '\r' && b != '\n' {
				c.state, c.length, c.wrong, c.chunks, c.socket, c.which = atRequestLine, -1, false, false, false, another
				c.name.n = 0
				c.name.add(b)
			}
		case atRequestLine:
			c.name.add(b)
			switch {
			case b == '\n':
				c.state = atLine
			case b == ' ' && c.name.String() == "PRI ":
				c.state = notWatched
			}
		case atLine:
			switch b {
			case '\n':
				c.headEnds()
			case '\r':
				c.state = atEnd
			case ' ', '\t': // a line goes on
				if c.which != another {
					p[i] = 0
				}
				c.state, c.which = atValue, another
			default:
				c.state, c.which = atName, another
				c.name.n, c.value.n = 0, 0
				c.name.add(b)
			}
		case atEnd:
			if c.state = notWatched; b == '\n' {
				c.headEnds()
			}
		case atName:
			switch b {
			case ':':
				c.state = atValue
				if c.named() {
					p[i] = 0
				}
			case '\n':
				c.state = notWatched
			default:
				c.name.add(b)
			}
		case atValue:
			switch {
			case b == '\n':
				c.state = atLine
				c.valued()
			case c.which != contentLength && c.which != upgrade || c.value.n == 0 && (b == ' ' || b == '\t'):
			default:
				c.value.add(b)
				if c.which == contentLength && c.value.n > len(c.value.text) {
					p[i] = 0 // no length is so long
				}
			}
		case atBody:
			n := min(c.skip, int64(len(p)-i))
			i += int(n) - 1
			if c.skip -= n; c.skip == 0 {
				c.state = atHead
			}
		case notWatched:
			return
		}
	}
}

// named looks at the name of a header, and reports whether it must not be there.
func (c *watched) named() (refuse bool) {
	switch name := c.name.String(); {
	case strings.EqualFold(name, "Content-Length"):
		c.which = contentLength
		return c.chunks
	case strings.EqualFold(name, "Transfer-Encoding"):
		c.which, c.chunks = transferEncoding, true
		return c.length >= 0
	case strings.EqualFold(name, "Upgrade"):
		c.which = upgrade
	}
	return false
}

// valued looks at the value of a header.
func (c *watched) valued() {
	value := strings.Trim(c.value.String(), " \t\r")
	switch c.which {
	case contentLength:
		n, err := strconv.ParseUint(value, 10, 63)
		c.wrong = c.wrong || err != nil || c.length >= 0 && c.length != int64(n)
		c.length = int64(n)
	case upgrade:
		c.socket = c.socket || asksForSocket(value)
	}
}

func asksForSocket(upgrade string) bool { return strings.EqualFold(upgrade, "websocket") }

// headEnds is what follows a head.
func (c *watched) headEnds() {
	switch {
	case c.chunks || c.socket || c.wrong:
		c.state = notWatched
	case c.length > 0:
		c.state, c.skip = atBody, c.length
	default:
		c.state = atHead
	}
}
