package population

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mayDiffer are the sections in which a model that goes on with a state may differ from the saved
// one. New parameters are allowed, too: the old ones keep their values.
var mayDiffer = []string{"name", "about", "interventions", "scenarios", "record", "fit", "supplies"}

// sameModel returns an error that names the first difference between two model files, other than
// those that are allowed.
func sameModel(saved, now []byte) error {
	var was, is map[string]any
	if err := yaml.Unmarshal(saved, &was); err != nil {
		return err
	}
	if err := yaml.Unmarshal(now, &is); err != nil {
		return err
	}
	for _, name := range mayDiffer {
		delete(was, name)
		delete(is, name)
	}
	for _, all := range []map[string]any{was, is} {
		if time, ok := all["time"].(map[string]any); ok {
			delete(time, "end")
		}
	}
	if parameters, ok := is["parameters"].(map[string]any); ok {
		old, _ := was["parameters"].(map[string]any)
		maps.DeleteFunc(parameters, func(name string, _ any) bool { _, known := old[name]; return !known })
		if len(parameters) == 0 && len(old) == 0 {
			delete(is, "parameters")
			delete(was, "parameters")
		}
	}
	return difference("", was, is)
}

// difference returns an error that names the first path at which two values differ.
func difference(path string, was, is any) error {
	a, aMap := was.(map[string]any)
	b, bMap := is.(map[string]any)
	if aMap && bMap {
		names := slices.Sorted(maps.Keys(a))
		for name := range b {
			if _, ok := a[name]; !ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			inner := strings.TrimPrefix(path+": "+name, ": ")
			_, before := a[name]
			_, after := b[name]
			switch {
			case !before:
				return fmt.Errorf("%s is new; only interventions, scenarios, parameters for them, record and the end may differ",
					inner)
			case !after:
				return fmt.Errorf("the saved model has %s, and this one has not", inner)
			}
			if err := difference(inner, a[name], b[name]); err != nil {
				return err
			}
		}
		return nil
	}
	x, xList := was.([]any)
	y, yList := is.([]any)
	if xList && yList && len(x) == len(y) {
		for i := range x {
			if err := difference(fmt.Sprintf("%s: %d", path, i+1), x[i], y[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if reflect.DeepEqual(was, is) {
		return nil
	}
	return fmt.Errorf("%s is %s, and %s in the saved model", path, inYAML(is), inYAML(was))
}

// inYAML is a value on one line, shortened.
func inYAML(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	line := strings.Join(strings.Fields(string(text)), " ")
	if len([]rune(line)) > 60 {
		line = string([]rune(line)[:57]) + "…"
	}
	return line
}
