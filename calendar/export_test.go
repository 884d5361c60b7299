package calendar

// What the tests outside the package may do beyond its users.

func (a *Agenda[V]) Check() error { return a.check() }

// SetUse makes the place of a handle have been used so often, and returns the handle that goes with
// it.
func (a *Agenda[V]) SetUse(h Handle, use uint32) Handle {
	a.places.at(h.place).use = use
	return Handle{h.owner, h.place, use}
}

// Places is for how many events an agenda has places.
func (a *Agenda[V]) Places() int { return a.places.held * placePageLen }

const Retired = retired
