// Package fitting reads the fit section of a model: which parameters are unknown, what is known of
// them beforehand, and which columns of a table the model is compared with, with what error.
//
// It assumes a compiled model. Problems are added to a diag.List with their places, in the same
// words as those of the rest of the file. Options of the command line are turned into YAML and read
// like the file. In a section without problems, the arguments of a prior have the dimension of its
// parameter, and columns are compared only with what the model records. Reading the table and the
// fit itself are done by package population.
//
// Files:
//
//   - fit.go: [Read] and [Fit]; how flags replace and add to what the file says
//   - prior.go: [Prior]; a new family of priors is added in internal/priors
//   - match.go: [Match] and [Error]; a new distribution of errors is read in readError
//   - where.go: the groups that columns are restricted to
//   - flags.go: the one-line forms of --unknown and --match
package fitting
