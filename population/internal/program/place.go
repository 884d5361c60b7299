package program

// A Place is a kind of places, of which an individual is in at most one.
type Place struct {
	Name     string
	Where    []Condition    // who belongs
	Size     *ByCell[Whole] // of the places at the start, unless there are Made or a Number
	By       int            // the attribute that Made gives; −1 if there are none
	Made     []Household    // what the places of the start are made of
	Sums     []float64      // the cumulative shares of Made
	Number   int            // so many places there are always; 0 if they come and go
	Alike    []int          // attributes that the members of a place share
	AlikeIn  []int          // kinds that they share the place of; they come before
	Capacity int            // of a place
	Join     Joining        // what becomes of those who come to belong
	Listed   bool           // somebody may come into any place that has room
}

// MaxPlaced is how many individuals there can be if they are in places: a block of store.Seats is
// at most four times as large as it has members, and a kind of block has 2²⁷ seats.
const MaxPlaced = 1 << 25

// A Household is a composition of a place: the value of each of its seats.
type Household []uint16

// Joining says which place somebody comes into.
type Joining uint8

const (
	JoinNone  Joining = iota // none
	JoinAny                  // one of those with room
	JoinNew                  // one founded for them
	JoinOther                // of a PlaceMove: that of the other individual, or of the parent
)

// Limited reports whether it may be that no place has room.
func (p *Place) Limited() bool { return p.Number > 0 && p.Capacity < NoCapacity }

// NoCapacity is the capacity of a place without a limit.
const NoCapacity = 1 << 30

// A PlaceMove leads an individual to another place of a kind, or out.
type PlaceMove struct {
	Kind int
	How  Joining
}
