// Package output writes the statistics of a simulation, and the results of an experiment, as tables
// and pictures.
//
//	s := sim.New(sim.Seed(1))
//	s.Keep(sim.Thinned(10_000))
//	…
//	err := s.Run(ctx, 480)
//	err = output.Save("results", s)
//
// [Save] writes everything at once, and [SaveResults] does so for replications. Each table can also
// be written to any writer, as [CSV], [JSON] or [Parquet], and each picture made by itself:
// [TimeSeries], [Utilization], [Histogram], [Gantt], [Bands], [WarmUp].
//
// # Contract
//
// Tables are tidy: a row is one observation, and the other columns identify it. Missing values are
// empty in CSV and null in the other formats. All formats hold the same numbers, with all digits.
// The same simulation gives the same bytes. Only [Runs] may be used from several goroutines at
// once.
//
// It is a package of its own, so that programs that import only sim do not get the libraries for
// pictures and Parquet.
//
// # Files
//
//	save.go     Save, SaveResults and their options
//	table.go    Format, and the columns of tables
//	write.go    WriteReport and the other tables
//	picture.go  Picture; time series, utilisation and histograms
//	gantt.go    Gantt
//	bands.go    Runs, Bands and WarmUp
package output
