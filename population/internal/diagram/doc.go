// Package diagram draws the states of a population model and the transitions between them.
//
// The layout is the layered one of Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of
// Hierarchical System Structures", IEEE Transactions on Systems, Man, and Cybernetics 11 (1981),
// 109–125, from left to right:
//
//   - A depth-first search from the states that are entered from outside finds the edges that close
//     a cycle; they are laid out backwards. The longest path to a state is then its layer
//     (layers.go).
//   - Between any two layers of states lies a column for labels. An edge becomes a chain of items,
//     one a column: its states at the ends, bends between them, one bend with the label. As every
//     item has its own room, lines do not run through boxes, no label lies on anything, and
//     parallel and opposite edges are apart (sheet.go).
//   - Sweeps to and fro order each column by the mean position of the neighbours, and neighbours in
//     a column swap places while that saves crossings (order.go).
//   - More sweeps move the items up and down towards their neighbours, as far as the order allows
//     (place.go, settle.go), and straighten long edges and rows of states (threads.go).
//   - Edges touch a box each at its own height (ports.go). They are curved only between the columns
//     and horizontal inside them (columns.go, route.go). What leaves the population and what leads
//     from a state to itself hangs on the box and is part of the room that the state takes
//     (shape.go).
//
// Several graphs can share a drawing, each in a frame of its own (framed.go). diagram.go has the
// graph and the calls, svg.go the drawing.
//
// Nothing depends on chance, time or the order of a map, so equal graphs give equal bytes.
package diagram
