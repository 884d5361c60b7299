package main

import (
	"testing"

	"github.com/almanac-sim/almanac/cmd/internal/clitest"
)

// The reference of the command names every subcommand and every flag, and no others.
func TestCommandPage(t *testing.T) {
	clitest.Documented(t, newRoot(), "../../docs/reference/command.md")
}
