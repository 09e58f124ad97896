package nb

// Parts of cards, for tests.
type (
	Text     = textPart
	Facts    = factPart
	Warnings = warningPart
	Bars     = barPart
	Fold     = foldPart
	Part     = cardPart
)
