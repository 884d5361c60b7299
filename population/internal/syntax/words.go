package syntax

// Out is where those go who leave the population.
const Out = "out"

// How those come who enter the population.
const (
	ByBirth        = "births"
	ByImmigration  = "immigration"
	ByIntervention = "interventions"
)

// sameWord stands for what becomes of someone who is met and stays as they are, unless a state goes by that name.
const sameWord = "same"

// Distributions hold distributions: in place, by an alias of YAML, or by the name of a parameter. By the last two a few lines can
// stand for billions. The limits are the same for all ways of writing them.
const (
	MostParts  = 1000 // distributions in one
	MostNested = 21   // of which each is in the one before
	MostSteps  = 100  // parameters of which each stands for the next
)

// UnitWords is what is written behind the number of a quantity.
func UnitWords(q Quantity) (string, bool) {
	switch q.Kind {
	case KindNumber:
		return "", true
	case KindShare:
		return "%", true
	case KindDuration:
		return q.Unit.Name + "s", true
	case KindRate:
		return "per " + q.Unit.Name, true
	}
	return "", false
}
