package nb

// BesideTables returns what Show shows.
func BesideTables(things ...any) []any { return besideTables(things) }
