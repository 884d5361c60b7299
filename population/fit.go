package population

// A Fit is what a model is to be fitted to: which of its parameters are unknown, and what is known of them beforehand; and which columns of a
// table it is to match. [Model.Fit] reads it from the file.
//
// It does not change, and may be used from several goroutines at once.
type Fit struct {
	Data     string // the path of the table, as it is written; empty if nobody said
	Unknowns []Unknown
	Matches  []Match

	m    *Model
	text *fitText

	lately lately // see Follow
}

// FitOptions say what is to be fitted in place of what the file says, or beside it.
type FitOptions struct {
	Data    string   // the path of the table; the file need not name one then
	Unknown []string // parameters and what is known of them: "beta=uniform 0.1..1 per day"; they replace those of the file, or add to them
	Match   []string // columns: "cases = incidence susceptible->infectious observed 30% poisson"; likewise
}

// Fit reads what is to be fitted from the section fit of the file, and from the options. If something is wrong with it, the error is of type
// [Problems].
func (m *Model) Fit(o FitOptions) (*Fit, error) {
	list := &problemList{}
	if m.compiled.file.fit == nil && len(o.Unknown)+len(o.Match) == 0 {
		list.add(place{m.compiled.file.path, 1, 1}, "the model has no section fit; write fit: %s in the file, or say what is unknown with --unknown and what is to be matched with --match", fitLike)
		return nil, list.err()
	}
	text := readFit(m.compiled, list, fitAsked(o))
	if err := list.err(); err != nil {
		return nil, err
	}
	f := &Fit{Data: text.data.name, m: m, text: text}
	for i := range text.match {
		t := &text.match[i]
		f.Matches = append(f.Matches, Match{Column: t.column.name, Kind: t.kind, Of: t.of.name, Error: t.error.family})
	}
	for i := range text.unknown {
		f.Unknowns = append(f.Unknowns, text.unknown[i].unknown(m.compiled.quietly()))
	}
	f.bound(list)
	if err := list.err(); err != nil {
		return nil, err
	}
	return f, nil
}
