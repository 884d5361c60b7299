package sim

import "fmt"

// kept is all that was kept of the past, in words, which is within its bounds.
func (c *chaos) kept() string {
	courses, observations, holdings := c.s.Courses(), c.s.Observations(), c.s.Holdings()
	for _, x := range courses {
		if len(x.Points) > 40 {
			c.t.Errorf("%s: %d points", x.Name, len(x.Points))
		}
	}
	for _, r := range c.rooms {
		if over, _ := r.Holdings(); len(over) > 40+r.capacity+r.most {
			c.t.Errorf("%s: %d holdings", r.name, len(over))
		}
	}
	return fmt.Sprint(courses, observations, holdings)
}
