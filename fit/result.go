package fit

// A Posterior is a weighted sample of the unknowns, given the data. Weights add up to 1.
type Posterior struct {
	Names   []string
	Units   []string
	Rows    [][]float64 // values of the unknowns, in the order of the names
	Weights []float64
}

// A Table has named columns of numbers.
type Table struct {
	Names []string
	Rows  [][]float64
}

// A Result is what a fit gives.
type Result struct {
	Method   string
	Seed     uint64
	Unknowns []Unknown

	// Posterior is empty if the method gives a best point alone.
	Posterior Posterior

	Best      []float64 // the best point: of the highest posterior density as estimated, or the least misfit
	BestScore float64   // the log likelihood there, or the misfit, as ScoreName says
	ScoreName string

	// Exact reports whether the sample is of the posterior itself, but for the error of a finite sample. If not, Threshold and Power say how
	// far from it: what is less alike than the threshold was left out, or the likelihood was raised to a power below 1.
	Exact     bool
	Threshold float64
	Power     float64

	Trace      Table // how it went
	Notes      []string
	Runs       int // of the model
	Events     uint64
	Impossible int      // runs at values at which there is no model
	Jobs       []string // keys of the jobs, so that they can be forgotten
}
