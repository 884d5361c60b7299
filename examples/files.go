// Package examples has the model files of this directory and the tables that they read, for
// programs that show them.
//
//	text, err := examples.Files().ReadFile("sir.yaml")
package examples

import "embed"

//go:embed *.yaml *.csv
var files embed.FS

// Files returns the models (*.yaml) and their tables (*.csv).
func Files() embed.FS { return files }
