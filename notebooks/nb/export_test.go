package nb

// BesideTables returns what Show shows.
func BesideTables(things ...any) []any { return besideTables(things) }

// Parts of cards, for tests.
type (
	Text     = textPart
	Facts    = factPart
	Warnings = warningPart
	Bars     = barPart
	Fold     = foldPart
	Part     = cardPart
)
