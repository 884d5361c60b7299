package spray

// A Handle names an element of a [List]. It is valid until the element is removed, and refused
// afterwards: it never touches another element, nor one of another list. Handles can be compared.
// The zero Handle names none.
type Handle struct {
	owner   uint32 // the List: see package owner
	place   uint32 // the node
	version uint32 // tells apart the elements that use the node one after the other
}
