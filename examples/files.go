// Package examples has the model files of this directory and the tables that they read, for programs that show them.
package examples

import "embed"

// Files are the models (*.yaml) and their tables (*.csv).
//
//go:embed *.yaml *.csv
var Files embed.FS
