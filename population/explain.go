package population

import (
	"context"

	"github.com/almanac-sim/almanac/internal/vector"
	"github.com/almanac-sim/almanac/population/internal/explain"
)

// Explain says in plain words what the model is, with all values in the unit of the model, and what may be a mistake in it.
func (m *Model) Explain() string { return explain.Model(m.compiled) }

// Diagram draws the states and the ways between them, as SVG. The error is [ErrDiagram], or that of the context if it ends first. Which models
// are too large does not depend on the machine; one that is takes some seconds to find out.
func (m *Model) Diagram(ctx context.Context) ([]byte, error) {
	d, err := m.DiagramShapes(ctx)
	if err != nil {
		return nil, err
	}
	return d.SVG(), nil
}

// DiagramShapes is what Diagram draws, as shapes with coordinates, for other formats than SVG.
func (m *Model) DiagramShapes(ctx context.Context) (vector.Drawing, error) {
	return explain.Diagram(ctx, m.compiled)
}

// Ways is how many arrows the diagram has: several may lead from one state to the same other one.
func (m *Model) Ways() int { return len(explain.Ways(m.compiled)) }
