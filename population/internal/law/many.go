package law

import "github.com/almanac-sim/almanac/internal/random"

// Draws of many from the same law, each from its own stream. Nothing in these loops waits for what came before, so that a processor has several
// draws under way.

// DrawAll takes a duration for each.
func (l *Law) DrawAll(streams []random.Stream, out []float64) {
	out = out[:len(streams)]
	switch {
	case l.Family == lawUniform:
		for i := range streams {
			out[i] = l.A + float64((l.b-l.A)*streams[i].Float64())
		}
	case l.Family == lawHazard:
		random.ExpAll(streams, out)
		for i, h := range out {
			out[i] = l.reach(h)
		}
	case l.Family == lawMixture && l.uniformParts():
		for i := range streams {
			s := streams[i]
			part := &l.parts[l.bySum.Find(s.Float64()*l.total)]
			out[i] = part.A + float64((part.b-part.A)*s.Float64())
			streams[i] = s
		}
	default:
		for i := range streams {
			out[i] = l.Draw(&streams[i])
		}
	}
}

// uniformParts tells whether all parts of a mixture are uniform, as those of a pyramid of ages are.
func (l *Law) uniformParts() bool {
	for i := range l.parts {
		if l.parts[i].Family != lawUniform {
			return false
		}
	}
	return true
}

// DrawAllBeyond takes a duration for each, given that it is longer than its age.
func (l *Law) DrawAllBeyond(streams []random.Stream, ages, out []float64) {
	ages, out = ages[:len(streams)], out[:len(streams)]
	if l.Family != lawHazard {
		for i := range streams {
			out[i] = l.DrawBeyond(&streams[i], ages[i])
		}
		return
	}
	random.ExpAll(streams, out)
	for i, age := range ages {
		if age <= 0 {
			out[i] = l.reach(out[i])
			continue
		}
		now := &l.steps[l.byAge.Find(age)]
		out[i] = max(age, l.reach(now.until+float64(now.rate*(age-now.from))+out[i]))
	}
}
