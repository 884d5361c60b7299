// Package fitting reads the fit section of a model: which parameters are unknown, what is known of
// them beforehand, and which columns of a table the model is compared with, with what error.
//
// It assumes a compiled model. It adds problems to a diag.List in the words and with the places that
// the rest of the file has. Options of the command line are turned into YAML and read like the file.
// A section without problems has priors whose arguments have the dimension of their parameter, and
// compares columns only with what the model records. Reading the table and the fit itself are done
// by package population.
//
// Files:
//
//   - fit.go: [Read] and [Fit]; how flags replace and add to what the file says
//   - prior.go: [Prior]; a new family of priors is added in internal/priors
//   - match.go: [Match] and [Error]; a new distribution of errors is read in readError
//   - flags.go: the one-line forms of --unknown and --match
package fitting
