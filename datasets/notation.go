package datasets

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A notation is how the numbers of a column are written: their decimal mark and thousands mark, and a currency or unit
// that stands before or after them.
type notation struct {
	decimal byte   // '.' or ','
	group   rune   // thousands mark, 0 if there is none
	unit    string // that all cells have, or a currency
}

// A written number is the text of a cell taken apart.
type written struct {
	negative bool
	digits   string // from the first digit to the last, with marks and an exponent
	currency string
	behind   bool    // the currency stands behind the digits
	unit     string  // after the digits, but a currency
	factor   float64 // of a word or letter such as k, M or billion, else 1
}

// The texts that stand for a missing cell where a column is otherwise numbers, in lower case: those of pandas, R, SAS,
// SQL, Weka and Excel. More words than these are missing there if they are one or two; see [CSV].
var missingWords = []string{"", "?", "na", "nan", "-nan", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "n.a.", "n.a",
	"na.",
	"nat", "null", "(null)", "none", "nil", `\n`, "missing", "(missing)", "unknown", "not available", "not applicable",
	"undefined", "blank", "(blank)", "empty", "void", ".", "..", "...", "-", "--", "---", "–", "—", "−", "*", "**", "_",
	"tbd", "tba",
	"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!",
	"#getting_data", "#spill!", "#calc!"}

// isMissingWord reports whether a text stands for a missing cell in a column of numbers.
func isMissingWord(s string) bool {
	s = strings.ToLower(strings.TrimFunc(s, unicode.IsSpace))
	if len(s) == 2 && s[0] == '.' && (s[1] == '_' || s[1] >= 'a' && s[1] <= 'z') { // of SAS
		return true
	}
	return slices.Contains(missingWords, s)
}

// currencies are the codes and abbreviations that are taken for a currency, besides the signs of Unicode.
var currencies = strings.Fields("USD EUR GBP JPY CNY RMB CHF AUD CAD NZD SEK NOK DKK ISK INR BRL MXN ZAR RUB TRY PLN " +
	"CZK HUF RON BGN KRW SGD HKD TWD THB IDR MYR PHP VND ILS AED SAR EGP NGN KES ARS CLP COP PEN UAH " +
	"US$ A$ C$ NZ$ HK$ S$ R$ Fr. SFr. Rs Rs. kr kr. zł Kč Ft Lei руб. BTC ETH")

var factors = map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "bn": 1e9, "Bn": 1e9, "mn": 1e6,
	"thousand": 1e3, "Tsd": 1e3, "Tsd.": 1e3, "million": 1e6, "Million": 1e6, "millions": 1e6, "Mio": 1e6, "Mio.": 1e6,
	"billion": 1e9,
	"Billion": 1e9, "billions": 1e9, "Mrd": 1e9, "Mrd.": 1e9, "trillion": 1e12}

// takeApart takes the text of a number apart. ok is false for other texts.
func takeApart(s string) (w written, ok bool) {
	w.factor = 1
	s = strings.TrimFunc(s, unicode.IsSpace)
	if inner, found := strings.CutPrefix(s, "("); found {
		if s, ok = strings.CutSuffix(inner, ")"); !ok {
			return w, false
		}
		w.negative = true
	}
	first := strings.IndexAny(s, "0123456789")
	last := strings.LastIndexAny(s, "0123456789") + 1
	if first < 0 {
		return w, false
	}
	if first > 0 && (s[first-1] == '.' || s[first-1] == ',') && !endsInLetter(s[:first-1]) { // .5, but not Rs.5
		first--
	}
	before, after := s[:first], s[last:]
	if after != "" && after[0] == '.' { // 5.
		after = after[1:]
	}
	w.digits = s[first:last]
	for _, r := range before {
		switch {
		case r == '-' || r == '−' || r == '–':
			if w.negative {
				return w, false
			}
			w.negative = true
		case r == '+' && !w.negative:
		default:
			continue
		}
		before = strings.Replace(before, string(r), "", 1)
	}
	if before = strings.TrimFunc(before, unicode.IsSpace); before != "" {
		if !isCurrency(before) {
			return w, false
		}
		w.currency = before
	}
	after, glued := strings.TrimFunc(after, unicode.IsSpace), after != "" && !unicode.IsSpace(firstRune(after))
	if rest, trailing := strings.CutSuffix(after, "-"); trailing {
		if w.negative {
			return w, false
		}
		w.negative, after = true, strings.TrimFunc(rest, unicode.IsSpace)
	}
	word, rest, _ := strings.Cut(after, " ")
	for cut := range word { // a letter or word, and a currency that may follow at once: 5M€
		head, tail := word[:cut], word[cut:]
		if f, found := factors[head]; found && isCurrency(tail) {
			w.factor, after = f, tail
		}
	}
	if f, found := factors[word]; found && (glued || len(word) > 1) {
		w.factor, after = f, strings.TrimFunc(rest, unicode.IsSpace)
	}
	switch {
	case after == "":
	case isCurrency(after) && w.currency == "":
		w.currency, w.behind = after, true
	case !isUnit(after):
		return w, false
	default:
		w.unit = after
	}
	return w, true
}

func endsInLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func isCurrency(s string) bool {
	if r, size := utf8.DecodeRuneInString(s); size == len(s) && size > 0 && unicode.Is(unicode.Sc, r) {
		return true
	}
	return slices.Contains(currencies, s)
}

// isUnit reports whether a text can be a unit of measurement, such as kg, %, sq ft or m/s.
func isUnit(s string) bool {
	const longest = 16
	return utf8.RuneCountInString(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune(" %‰°/²³.'\"′″·^µ", r)
	})
}

// number returns the number that digits stand for in a notation.
func (n notation) number(digits string) (float64, bool) {
	mantissa, exponent := digits, ""
	if e := strings.IndexAny(digits, "eE"); e >= 0 {
		mantissa, exponent = digits[:e], digits[e:]
	}
	whole, fraction, hasFraction := strings.Cut(mantissa, string(n.decimal))
	if n.group != 0 && exponent == "" && strings.ContainsRune(whole, n.group) {
		parts := strings.Split(whole, string(n.group))
		for k, part := range parts {
			indian := n.group == ',' && k < len(parts)-1 && len(part) == 2 // two digits in all groups but the last
			if len(part) > 3 || part == "" || k == 0 && part[0] == '0' || k > 0 && len(part) != 3 && !indian {
				return 0, false
			}
		}
		whole = strings.Join(parts, "")
	}
	plain := whole
	if hasFraction {
		plain += "." + fraction
	}
	if strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(plain+exponent, 64)
	return v, err == nil
}

// notations are tried in this order, so that marks mean what they mean in English unless a cell says otherwise.
var notations = []notation{{decimal: '.'}, {decimal: '.', group: ','}, {decimal: ',', group: '.'}, {decimal: ','},
	{decimal: '.', group: ' '}, {decimal: ',', group: ' '}, {decimal: '.', group: '\''}, {decimal: ',', group: '\''}}

// marks are the characters that stand for the thousands marks of notations.
var marks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

// isWritten reports whether a text is a number in some notation, perhaps with a currency.
func isWritten(s string) bool {
	w, ok := takeApart(s)
	return ok && w.unit == "" && slices.ContainsFunc(notations, func(n notation) bool {
		_, ok := n.number(marks.Replace(w.digits))
		return ok
	})
}

// A reading is what the texts of a column are as numbers.
type reading struct {
	notation
	values     []float64 // of each text, NaN for a missing one
	numbers    int       // how many texts are
	words      []string  // that are taken for missing
	currencies []string
	sure       bool // no other decimal mark is possible
	ambiguous  bool // a mark before three digits may be for thousands or decimals
}

// readNumbers reads the different texts of a column as numbers in one notation. counts has how often each occurs.
// decimal is the decimal mark, 0 if it is to be found; likely is the one that the file
// seems to have, which is proven if a number of another column can't be read otherwise. strict is for a
// column that must be numeric: no other words than those of missing cells are skipped.
// ok is false if the texts are something else than numbers.
func readNumbers(texts []string, counts []int, decimal, likely byte, proven, strict bool) (r reading, ok bool) {
	apart := make([]written, len(texts))
	isWord := make([]bool, len(texts))
	cells, words := 0, 0
	unit := ""
	for k, s := range texts {
		if isMissingWord(s) {
			isWord[k] = true
			continue
		}
		w, ok := takeApart(s)
		if !ok {
			if _, kind := parseNumber(s, 64); strict || kind == infiniteCell || strings.ContainsAny(s, "0123456789") {
				return r, false
			}
			isWord[k] = true
			r.words = append(r.words, s)
			words += counts[k]
			cells += counts[k]
			continue
		}
		w.digits = marks.Replace(w.digits)
		apart[k] = w
		cells += counts[k]
		if r.numbers++; r.numbers == 1 {
			unit = w.unit
		}
		if w.currency != "" {
			if !slices.Contains(r.currencies, w.currency) {
				r.currencies = append(r.currencies, w.currency)
			}
			if w.behind && !proven { // as where a comma is the decimal mark
				likely = ','
			}
		}
		if w.unit != unit {
			return r, false
		}
	}
	if r.numbers == 0 || len(r.words) > 2 || words > 0 && 2*words >= cells {
		return r, false
	}
	var fit []notation
	for _, n := range notations {
		if decimal != 0 && n.decimal != decimal {
			continue
		}
		fits := true
		for k := range apart {
			if !isWord[k] && fits {
				_, fits = n.number(apart[k].digits)
			}
		}
		if fits {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return r, false
	}
	r.notation, r.ambiguous = choose(fit, apart, likely)
	r.sure = !slices.ContainsFunc(fit, func(n notation) bool { return n.decimal != r.decimal })
	if r.unit = unit; len(r.currencies) == 1 {
		r.unit = strings.TrimSpace(r.currencies[0] + " " + unit)
	}
	r.values = make([]float64, len(texts))
	for k, w := range apart {
		if isWord[k] {
			r.values[k] = math.NaN()
			continue
		}
		v, _ := r.number(w.digits)
		if v *= w.factor; w.negative {
			v = -v
		}
		r.values[k] = v
	}
	return r, true
}

// choose chooses among the notations that fit all numbers of a column. If they differ in what a mark before three
// digits means, it is the first of those with the likely decimal mark.
func choose(fit []notation, apart []written, likely byte) (n notation, ambiguous bool) {
	n = fit[0]
	for _, other := range fit[1:] {
		differs := slices.ContainsFunc(apart, func(w written) bool {
			a, _ := n.number(w.digits)
			b, _ := other.number(w.digits)
			return a != b
		})
		if differs {
			ambiguous = true
			if n.decimal != likely && other.decimal == likely {
				n = other
			}
		}
	}
	return n, ambiguous
}
