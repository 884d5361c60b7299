package population

import "github.com/almanac-sim/almanac/internal/random"

// Draws of many from the same law, each from its own stream. Nothing in these loops waits for what came before, so that a processor has several
// draws under way.

// drawAll takes a duration for each.
func (l *law) drawAll(streams []random.Stream, out []float64) {
	out = out[:len(streams)]
	switch {
	case l.family == lawUniform:
		for i := range streams {
			out[i] = l.a + float64((l.b-l.a)*streams[i].Float64())
		}
	case l.family == lawHazard:
		random.ExpAll(streams, out)
		for i, h := range out {
			out[i] = l.reach(h)
		}
	case l.family == lawMixture && l.uniformParts():
		for i := range streams {
			s := streams[i]
			part := &l.parts[l.bySum.find(s.Float64()*l.total)]
			out[i] = part.a + float64((part.b-part.a)*s.Float64())
			streams[i] = s
		}
	default:
		for i := range streams {
			out[i] = l.draw(&streams[i])
		}
	}
}

// uniformParts tells whether all parts of a mixture are uniform, as those of a pyramid of ages are.
func (l *law) uniformParts() bool {
	for i := range l.parts {
		if l.parts[i].family != lawUniform {
			return false
		}
	}
	return true
}

// drawAllBeyond takes a duration for each, given that it is longer than its age.
func (l *law) drawAllBeyond(streams []random.Stream, ages, out []float64) {
	ages, out = ages[:len(streams)], out[:len(streams)]
	if l.family != lawHazard {
		for i := range streams {
			out[i] = l.drawBeyond(&streams[i], ages[i])
		}
		return
	}
	random.ExpAll(streams, out)
	for i, age := range ages {
		if age <= 0 {
			out[i] = l.reach(out[i])
			continue
		}
		now := &l.steps[l.byAge.find(age)]
		out[i] = max(age, l.reach(now.until+float64(now.rate*(age-now.from))+out[i]))
	}
}
