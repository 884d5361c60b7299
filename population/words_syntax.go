package population

// Out is where those go who leave the population.
const Out = "out"

// How those come who enter the population.
const (
	byBirth        = "births"
	byImmigration  = "immigration"
	byIntervention = "interventions"
)

// sameWord stands for what becomes of someone who is met and stays as they are, unless a state goes by that name.
const sameWord = "same"

// Distributions hold distributions: in place, by an alias of YAML, or by the name of a parameter. By the last two a few lines can
// stand for billions. The limits are the same for all ways of writing them.
const (
	mostParts  = 1000 // distributions in one
	mostNested = 21   // of which each is in the one before
	mostSteps  = 100  // parameters of which each stands for the next
)

// unitWords is what is written behind the number of a quantity.
func unitWords(q quantity) (string, bool) {
	switch q.kind {
	case aNumber:
		return "", true
	case aShare:
		return "%", true
	case aDuration:
		return q.unit.name + "s", true
	case aRate:
		return "per " + q.unit.name, true
	}
	return "", false
}
