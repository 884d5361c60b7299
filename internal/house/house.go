// Package house holds the rule of who may import whom in this module; its test enforces it.
//
// The structures at the bottom know nothing of each other, so that a program that imports one does not get the rest.
package house

// Module is the path that all packages of the module share.
const Module = "github.com/almanac-sim/almanac"

// mayImport names, for each top-level directory, the other top-level directories that its packages may import. A
// package may always import what lies in its own directory. Tests may import what they like.
var mayImport = map[string][]string{
	"calendar":   {"internal"},
	"capped":     {"internal"},
	"spray":      {"internal", "calendar"},
	"sim":        {"internal", "calendar"},
	"population": {"internal", "calendar"},
	"internal":   {"calendar", "capped", "spray", "sim"},
	"reproduce":  {"internal", "calendar", "capped", "spray", "sim", "population"},
	"cmd":        {"internal", "calendar", "capped", "spray", "sim", "population", "reproduce"},
	"examples":   {"calendar", "capped", "spray", "sim", "population"},
}
