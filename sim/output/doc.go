// Package output writes what a simulation has kept, and what an experiment has found, as tables and
// pictures.
//
//	s := sim.New(sim.Seed(1))
//	s.Keep(sim.Thinned(10_000))
//	…
//	err := s.Run(ctx, 480)
//	err = output.Save("results", s)
//
// Save makes files of everything at once. Each table can be written by itself to any writer, as
// [CSV], [JSON] or [Parquet], and each picture made by itself: [TimeSeries], [Utilization],
// [Histogram], [Gantt], [Bands], [WarmUp].
//
// Tables are tidy: a row is one thing, and the columns say of what. What is not known is empty in
// CSV and null in the others. The three formats hold the same numbers, with all their digits.
//
// It is a package of its own so that programs that import sim alone do not get the libraries for
// pictures and Parquet with it.
package output
