package caddyqueue

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/logging" // the log in a file
)

// The old names are read, in a Caddyfile and in JSON, and there is one warning.
func TestOldNames(t *testing.T) {
	b := startBackend(t, ok)
	in := start(t, "")
	file := t.TempDir() + "/log"
	site := "capped " + b.address + " {\nqueue 7\nheader_down X-Name {http.capped.queue}\n}"
	config, err := adapt(strings.Replace(in.config(site), "output discard", "output file "+file, 1))
	if err != nil {
		t.Fatal(err)
	}
	mustContain(t, string(config), `"handler":"queue"`)
	defer func(f func()) { warnOldName = f }(warnOldName)
	warnOldName = sync.OnceFunc(logOldName)
	mustContain(t, string(config), `"max_queue":7`)
	old := strings.NewReplacer(`"handler":"queue"`, `"handler":"capped"`, `"max_queue":7`, `"queue":7`).Replace(string(config))
	for _, c := range []string{old, string(config), old} {
		if err := caddy.Load([]byte(c), true); err != nil {
			t.Fatal(err)
		}
		if r := in.get("/x"); r.body != "/x" || r.header.Get("X-Name") != b.address {
			t.Errorf("%+v", r)
		}
		if q := in.idle(); q.Limit != 7 {
			t.Errorf("%+v", q)
		}
		mustContain(t, in.api("/capped/queues"), b.address)
	}
	if err := in.load("queue " + b.address); err != nil { // closes the log
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "the handler capped is called queue now") {
			mustContain(t, line, `"level":"warn"`)
			lines++
		}
	}
	if lines != 1 {
		t.Errorf("%d warnings in\n%s", lines, text)
	}
}
