package population

import "go.yaml.in/yaml/v3"

// A recordText is the section record as it is written.
type recordText struct {
	every     value // a hundredth of the run if it is not given
	by        []byText
	incidence bool
}

// A byText asks for counts by one attribute, or by the combinations of several.
type byText struct {
	at         place
	attributes []named
}

const recordLike = "{every: 1 day}"

func (r *reader) record(m *file, n *yaml.Node) {
	f := r.fields(n, "record", recordLike, "every", "by", "incidence")
	if f == nil {
		return
	}
	if e := f.need("every", "1 day"); e != nil {
		m.record.every = r.value(e, "record: every", aDuration)
	}
	if b := f.get("by"); b != nil {
		const what = "record: by"
		items := r.oneOrMore(b, what, "[region]")
		if len(items) == 0 && b.Kind == yaml.SequenceNode {
			r.fail(b, "%s: expected at least one attribute, such as [region], or combinations, such as [[region, age]]", what)
		}
		for _, item := range items {
			m.record.by = append(m.record.by, r.grouping(item, what))
		}
	}
	if i := f.get("incidence"); i != nil {
		switch text, ok := r.text(i, "record: incidence", "true or false"); {
		case !ok:
		case text == "true" || text == "false":
			m.record.incidence = text == "true"
		default:
			r.fail(i, "record: incidence: found %s, expected true or false", quote(text))
		}
	}
}

// grouping reads an attribute, or a list of those of which combinations are recorded.
func (r *reader) grouping(n *yaml.Node, what string) byText {
	by := byText{at: r.place(n)}
	if n.Kind != yaml.SequenceNode {
		by.attributes = append(by.attributes, r.named(n, what))
		return by
	}
	before := r.found
	for _, item := range r.list(n, what, "[region, age]") {
		by.attributes = append(by.attributes, r.named(item, what))
	}
	if len(by.attributes) == 0 && r.found == before {
		r.fail(n, "%s: expected at least one attribute in a combination, such as [region, age]", what)
		by.attributes = append(by.attributes, named{bad: true})
	}
	return by
}
