package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestStatus(t *testing.T) {
	noLeak(t)
	s := New()
	defer s.Close()
	desk := NewResource(s, "desk", 1)
	g, h := s.Signal("g"), s.Signal("h")
	s.Go("a", func(p *Process) {
		if got := p.Status(); got != "has its turn" {
			t.Error(got)
		}
		_ = desk.Use(p, 1, func() { _ = p.Wait(20) })
	})
	b := s.GoAt(1, "b", func(p *Process) { _, _ = desk.Request(p, 1, Patience(30)) })
	s.Go("c", func(p *Process) { _ = desk.Use(p, 1, func() {}) })
	s.Go("d", func(p *Process) { _ = p.WaitFor(AnyOf(g, AllOf(h, b))) })
	s.Go("e", func(p *Process) { _, _ = p.WaitForWithin(g, 9) })
	s.Go("f", func(p *Process) { _ = p.Wait(math.Inf(1)) })
	s.GoAt(7, "g", func(*Process) {})
	_ = s.Run(background, 5)
	var got []string
	for _, p := range s.Live() {
		got = append(got, fmt.Sprintf("%s %s", p, p.Status()))
	}
	g.Trigger()
	for _, p := range s.Live()[3:5] {
		got = append(got, fmt.Sprintf("%s %s", p, p.Status()))
	}
	want := `
a waits until 20
b waits in line for desk since 1 until 31
c waits in line for desk since 0
d waits for any of (g, all of (h, the end of b))
e waits for g until 9
f waits
g starts at 7
d is about to have its turn
e is about to have its turn`
	if text := "\n" + strings.Join(got, "\n"); text != want {
		t.Error(text)
	}
	never := s.GoAt(100, "never", func(*Process) {})
	s.Close()
	if b.Status() != "has ended" || never.Status() != "has ended" || len(s.Live()) != 0 {
		t.Error("there are still processes")
	}
	if late := s.Go("late", func(*Process) {}); late.Status() != "never starts" {
		t.Error(late.Status())
	}
}
