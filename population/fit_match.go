package population

// A Match is a column of the data and what it is compared with.
type Match struct {
	Column string
	Kind   string // incidence: how often since the row before; flow: how often since the start; state: how many there are
	Of     string // a flow or what goes by a name, or a state
	Error  string // the law of what is seen given what is expected: poisson, negative binomial or normal
}
