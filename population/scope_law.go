package population

// law works out a distribution of durations; a duration stands for itself, exactly. It reports false if it cannot.
func (s scope) law(v value, what string) (law, bool) {
	got, at, ok := s.resolve(v, what)
	if !ok {
		return law{}, false
	}
	if got.law == nil {
		if k := got.quantity.kind; k == aRate || k == aShare {
			name := called(v, got)
			if v.name != "" || got.worked {
				name += ","
			}
			s.complain(v, at, "%s: %s is %s; expected a duration such as %s or a distribution such as %s", what, name, k, aDuration.like(), aDistribution.like())
			return law{}, false
		}
		x, ok := s.duration(v, what)
		return exactly(x), ok
	}
	varies := s.varies(got.law)
	if done, ok := s.laws[got.law]; ok && !varies {
		return done.law, done.ok
	}
	what += ": " + got.law.family
	var l law
	if ok = !s.extent(got, what, nil).bad; ok { // it has an end, and is not too large
		l, ok = s.family(got.law, what)
	}
	if ok && !l.sound() {
		s.broken(v.at, []value{v}, "%s: its arguments are too large or too small to work with", what)
		l, ok = law{}, false
	}
	if !varies {
		s.laws[got.law] = workedOut{l, ok}
	}
	return l, ok
}

// family works out a distribution that is written out.
func (s scope) family(l *lawValue, what string) (law, bool) {
	good := true
	argument := func(name string, work func(value, string) (float64, bool)) float64 {
		x, ok := work(l.args[name], what+": "+name)
		good = good && ok
		return x
	}
	switch l.family {
	case "exactly":
		x, ok := s.duration(l.args["value"], what)
		return exactly(x), ok
	case "exponential":
		if r, ok := l.args["rate"]; ok {
			rate := argument("rate", s.rate)
			if good && rate == 0 {
				got, _, _ := s.resolve(r, what)
				s.broken(r.at, []value{r}, "%s: rate: %s: expected a rate above 0", what, called(r, got))
				good = false
			}
			return exponential(rate), good
		}
		mean := argument("mean", s.longer)
		return exponential(1 / mean), good
	case "gamma":
		mean, shape := argument("mean", s.longer), argument("shape", s.positive)
		return gamma(mean, shape), good
	case "erlang":
		mean, k := argument("mean", s.longer), argument("k", s.positive)
		if good && k != float64(int(k)) {
			s.broken(l.args["k"].at, []value{l.args["k"]}, "%s: k: %.12g: expected a whole number of stages; gamma takes any shape", what, k)
			good = false
		}
		return gamma(mean, k), good
	case "weibull":
		scale, shape := argument("scale", s.longer), argument("shape", s.positive)
		return weibull(scale, shape), good
	case "lognormal":
		mean, sd := argument("mean", s.longer), argument("sd", s.longer)
		return lognormal(mean, sd), good
	case "gompertz":
		return s.gompertz(l, what)
	case "uniform":
		low, high := argument("low", s.duration), argument("high", s.longer)
		if good && !(low < high) {
			ends := []value{l.args["low"], l.args["high"]}
			s.broken(ends[1].at, ends, "%s: high is %s, which is not above low, %s", what, s.written(ends[1]), s.written(ends[0]))
			good = false
		}
		return uniform(low, high), good
	case "hazard":
		return s.hazard(l, what)
	case "mixture":
		return s.mixture(l, what)
	}
	panic("population: no such family: " + l.family)
}

// gompertz works out a lifetime whose hazard grows; it may also fall, so that the growth is the one rate that can be negative.
func (s scope) gompertz(l *lawValue, what string) (law, bool) {
	rate, good := s.within(l.args["rate"], what+": rate", aRate, func(x float64) bool { return x > 0 }, "expected a rate above 0")
	growth, _, ok := s.quantity(l.args["growth"], what+": growth", aRate)
	good = good && ok
	makeham := 0.0
	if v, told := l.args["makeham"]; told {
		makeham, ok = s.rate(v, what+": makeham")
		good = good && ok
	}
	return gompertz(rate, growth, makeham), good
}

func (s scope) hazard(l *lawValue, what string) (law, bool) {
	var from, rate []float64
	good := true
	for i, step := range l.steps {
		x, ok := s.duration(step.from, what)
		good = good && ok
		switch {
		case good && i == 0 && x != 0:
			s.broken(step.from.at, []value{step.from}, "%s: the first age is %s; expected 0 years, since there must be a rate from the beginning", what, s.written(step.from))
			good = false
		case good && i > 0 && !(x > from[i-1]):
			s.broken(step.from.at, []value{l.steps[i-1].from, step.from}, "%s: %s does not come after the age before it", what, s.written(step.from))
			good = false
		}
		r, ok := s.rate(step.rate, what+": from "+step.from.text)
		good = good && ok
		from, rate = append(from, x), append(rate, r)
	}
	return hazard(from, rate), good
}

func (s scope) mixture(l *lawValue, what string) (law, bool) {
	var shares []float64
	var parts []law
	var written []value
	sum, good := 0.0, true
	for _, p := range l.parts {
		written = append(written, p.share)
		share, shareOK := s.chance(p.share, what+": share")
		part, partOK := s.law(p.of, what+": of")
		good = good && shareOK && partOK
		shares, parts, sum = append(shares, share), append(parts, part), sum+share
	}
	if good && !isOne(sum) {
		s.broken(l.parts[0].share.at, written, "%s: the shares add up to %.6g, expected 1", what, sum)
		good = false
	}
	return mixture(shares, parts), good
}

// isOne allows for probabilities that are written with six digits.
func isOne(sum float64) bool { return sum > 1-1e-6 && sum < 1+1e-6 }
