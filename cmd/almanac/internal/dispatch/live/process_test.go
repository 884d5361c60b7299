package live

import (
	"os"
	"strings"
	"testing"
)

// A program that ends, and one that is not there, are told with what they said.
func TestStart(t *testing.T) {
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(t.Context(), "this", address, nil, self, "-test.run=("); err == nil || !strings.Contains(err.Error(), "this has ended: testing: invalid regexp") {
		t.Errorf("got %v", err)
	}
	if _, err := start(t.Context(), "nothing", address, nil, "./no-such-program"); err == nil {
		t.Error("it was started")
	}
	missing := Proxy{Package: "nosuchproxy-light"}
	if _, err := missing.program(); err == nil || err.Error() != "nosuchproxy is not installed (Debian's package nosuchproxy-light)" {
		t.Errorf("got %v", err)
	}
}

// In the closed loop there is each program with each balance once, and no capacity that anybody would have to wait for.
func TestCosted(t *testing.T) {
	b := &comparison{proxies: Proxies()}
	var names []string
	for _, p := range b.costed() {
		names = append(names, p.Name)
		if p.capacity != 0 && p.capacity != manyAtOnce {
			t.Errorf("%s has a capacity of %d", p.Name, p.capacity)
		}
	}
	if got := strings.Join(names, " "); got != "almanac haproxy-leastconn haproxy-random2 nginx-leastconn reverse" {
		t.Errorf("got %s", got)
	}
}
