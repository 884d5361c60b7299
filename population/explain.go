package population

import (
	"context"

	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/population/internal/explain"
)

// Explain describes the model in plain words, with all values in its unit, and lists what may be a
// mistake.
func (m *Model) Explain() string { return explain.Model(m.compiled) }

// Diagram draws the states and the flows between them as SVG. The error is [ErrDiagram], or that of
// the context. Which models are too large does not depend on the machine; finding that out takes
// some seconds.
func (m *Model) Diagram(ctx context.Context) ([]byte, error) {
	d, err := m.DiagramShapes(ctx)
	if err != nil {
		return nil, err
	}
	return d.SVG(), nil
}

// DiagramShapes returns the diagram as shapes with coordinates, for other formats than SVG.
func (m *Model) DiagramShapes(ctx context.Context) (vector.Drawing, error) {
	return explain.Diagram(ctx, m.compiled)
}

// Ways is the number of arrows in the diagram. Several may lead from one state to the same other
// one.
func (m *Model) Ways() int { return explain.WayCount(m.compiled) }
