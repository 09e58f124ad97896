package datasets

import (
	"math"
	"strconv"
	"strings"
)

// A cellKind says what the text of a cell can be.
type cellKind uint8

const (
	textCell cellKind = iota
	numberCell
	infiniteCell // "inf", or a number beyond what the type holds
	missingCell  // by the reader's options; the last, since tallies count only the others
)

// parseNumber reads a decimal number of the given size (32 or 64 bits).
func parseNumber(s string, bits int) (float64, cellKind) {
	if bits == 32 {
		if v, _, ok := parseFloat32(s); ok {
			return float64(float32(v)), numberCell
		}
	}
	digits := s
	if s != "" && (s[0] == '+' || s[0] == '-') {
		digits = s[1:]
	}
	if digits == "" {
		return 0, textCell
	}
	if c := digits[0]; c != '.' && (c < '0' || c > '9') {
		if strings.EqualFold(digits, "inf") || strings.EqualFold(digits, "infinity") {
			return 0, infiniteCell
		}
		return 0, textCell
	}
	if len(digits) > 1 && digits[1]|0x20 == 'x' || strings.IndexByte(digits, '_') >= 0 { // only Go has such numbers
		return 0, textCell
	}
	v, err := strconv.ParseFloat(s, bits)
	switch {
	case err == nil:
		return v, numberCell
	case err.(*strconv.NumError).Err == strconv.ErrRange:
		return 0, infiniteCell
	default:
		return 0, textCell
	}
}

// powersOfTen holds the powers of ten that a float64 holds exactly.
var powersOfTen = func() (p [23]float64) {
	for k := range p {
		p[k] = math.Pow10(k)
	}
	return p
}()

// A form says how numbers are written. Forms of several numbers are joined by or.
type form uint8

const (
	longWhole    form = 1 << iota // a whole number whose digits take more than 24 bits
	longFraction                  // another whose digits do
	groupedForm                   // perhaps a whole number with a point before its last three digits
	decimalForm                   // there is a point, which is a decimal mark
	paddedForm                    // a whole number of four digits or more, the first of which is 0
)

// parseFloat32 returns a float64 that as a float32 is what strconv.ParseFloat returns, in a fraction of the time, for
// decimal numbers of up to 19 digits and a small exponent. For others, ok is false, and the form says nothing of long
// digits.
//
// It converts the digits to float64, and multiplies or divides by a power of ten. Each of
// these rounds once, so the result is within three units in the last place of the number.
// Unless that range holds the midpoint of two float32, both round to the same float32.
func parseFloat32(s string) (v float64, f form, ok bool) {
	i := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		i++
	}
	first := i
	var mantissa uint64
	for i < len(s) && s[i]-'0' < 10 {
		mantissa = mantissa*10 + uint64(s[i]-'0')
		i++
	}
	digits, scale := i-first, 0
	if i < len(s) && s[i] == '.' {
		i++
		point := i
		for len(s)-i >= 8 { // most digits of long numbers
			eight, ok := eightDigits(s[i : i+8])
			if !ok {
				break
			}
			mantissa = mantissa*1e8 + eight
			i += 8
		}
		for i < len(s) && s[i]-'0' < 10 {
			mantissa = mantissa*10 + uint64(s[i]-'0')
			i++
		}
		scale = point - i
		digits -= scale
		f = decimalForm
		if scale == -3 && i == len(s) && digits > 3 && digits <= 6 && s[first] != '0' {
			f = groupedForm
		}
	} else if digits > 3 && s[first] == '0' {
		f = paddedForm
	}
	if digits == 0 || digits > 19 { // 19 digits can't overflow
		return 0, f, false
	}
	if i < len(s) {
		exponent, ok := parseExponent(s[i:])
		if !ok {
			return 0, f, false
		}
		scale += exponent
	}
	if scale < 1-len(powersOfTen) || scale >= len(powersOfTen) {
		return 0, f, false
	}
	wide := float64(mantissa)
	if scale < 0 {
		wide /= powersOfTen[-scale]
	} else {
		wide *= powersOfTen[scale]
	}
	const middle = 1 << 28 // of the range of the 29 bits that a float32 lacks
	if bits := math.Float64bits(wide) & (1<<29 - 1); bits-(middle-4) <= 8 || wide > math.MaxFloat32 {
		return 0, f, false
	}
	if s[0] == '-' {
		wide = -wide
	}
	if mantissa >= 1<<24 && scale < 0 {
		f |= longFraction
	} else if mantissa >= 1<<24 {
		f |= longWhole
	}
	return wide, f, true
}

// eightDigits returns the number that eight digits are, all at once: neighbours are joined to numbers below 100, those
// to numbers below 10⁴, and those to the whole. For other texts ok is false.
func eightDigits(s string) (v uint64, ok bool) {
	_ = s[7]
	v = uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	const high, zeros = 0xf0f0f0f0f0f0f0f0, 0x3030303030303030
	if v&high != zeros || (v+0x0606060606060606)&high != zeros { // a byte isn't between '0' and '9'
		return 0, false
	}
	v -= zeros
	v = (v*10 + v>>8) & 0x00ff00ff00ff00ff
	v = (v*100 + v>>16) & 0x0000ffff0000ffff
	return (v*10_000 + v>>32) & 0xffffffff, true
}

// parseExponent reads an exponent of a few digits, as in e-05.
func parseExponent(s string) (exponent int, ok bool) {
	if s[0]|0x20 != 'e' || len(s) > 5 {
		return 0, false
	}
	exponent, err := strconv.Atoi(s[1:])
	return exponent, err == nil
}

func isNumber(s string) bool {
	_, kind := parseNumber(s, 64)
	return kind == numberCell
}
