// Package lookup finds the interval that a number falls into, many million times a second.
//
// A [GuideTable] is for ascending edges and any number that is not negative: steps of a hazard,
// parts of a mixture, steps of a value that changes with time. [CumulativeShares] and
// [SearchCumulative] are for shares and a uniform number: values of an attribute, groups that are
// met, states that are entered.
//
// Which interval is found is part of a model's results, to the last bit: it does not depend on how
// the search is done, and is the same on every machine.
//
//	guidetable.go  GuideTable: a search that usually takes one comparison
//	cumulative.go  CumulativeShares, SearchCumulative: drawing from shares
package lookup
