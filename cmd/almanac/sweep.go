package main

import (
	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/study"
)

func newSweep(f *studyFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "sweep MODEL.yaml | -",
		Short: "Run a model at many combinations of values, many times at each",
		Long: "Run a model at many combinations of values, many times at each, and tell the means of what it gives.\n\n" +
			"--vary NAME=VALUES, once for each thing that is varied; names and values are those of --set:\n" +
			"  beta=\"0.2..0.6 per day by 0.05\"   steps\n" +
			"  coverage=\"0%, 40%, 80%\"           a list\n" +
			"  beta=\"0.2..0.6 per day\"           a range, for --sample; with the word whole at its end, whole numbers of it\n" +
			"All combinations are run, or with --sample N so many of them: spread over the ranges by a Latin hypercube, or " +
			"by Sobol's sequence.\n\n" +
			"--output says what is told of each replica, as one number:\n" +
			"  final(recovered), peak(infectious), time of peak(infectious), at(infectious, 30 days), " +
			"final(susceptible->infectious),\n" +
			"  and arithmetic with them: final(recovered) / final(total). Without it, ends and peaks of all states, and the " +
			"flows.\n\n" +
			"With --out DIR there are then in DIR: points.csv (a column for each name, in the unit of --vary; replicas, " +
			"output, mean, sd, low, high: the 95 %\n" +
			"interval of the mean), series.csv or .parquet (how states and flows went over time at each point), pictures " +
			"(over-NAME: outputs over\n" +
			"one name, with bands; map-OUTPUT: an output over two), model.yaml with the tables that it reads, command.txt, " +
			"and study.json. A study that was interrupted goes on where it\n" +
			"was when the same command is given again; what it needs for that is in DIR/.state, which can be removed when it " +
			"is done.\n\n" +
			"The results are the same whatever the number of workers, here or on a hub; see almanac hub and almanac worker.",
		Example: "  almanac sweep examples/sir.yaml --vary beta=\"0.2..0.6 per day by 0.1\" --replicas 50 --out results\n" +
			"  almanac sweep examples/sir.yaml --vary beta=\"0.2..0.6 per day\" --sample 500 --replicas 20 --output " +
			"\"peak(infectious)\"",
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.registerModel(c)
	f.registerStudy(c, "a directory to write results and pictures to, and in which the study can be continued")
	f.registerOutputs(c)
	f.registerFormat(c, "how the series in the directory of --out are written: csv, or parquet")
	c.Flags().IntVar(&f.Replicas, "replicas", 100, "how often to run the model at each point; with --precision, at most")
	c.Flags().StringArrayVar(&f.Vary, "vary", nil, "what is varied, and through which values; may be repeated")
	c.Flags().IntVar(&f.Sample, "sample", 0, "how many points to take from the ranges of --vary, instead of all "+
		"combinations")
	c.Flags().StringVar(&f.Design, "design", study.DefaultDesign,
		"how a sample is spread: lhs, a Latin hypercube, or sobol")
	c.Flags().StringVar(&f.Precision, "precision", "",
		"stop at a point when half the interval of every output is at most this share of its mean: 2%")
	c.Flags().BoolVar(&f.Series, "series", true, "tell how states and flows go over time at each point, too")
	return c
}
