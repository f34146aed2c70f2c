package config

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// plainNumber takes apart what YAML reads as a number.
//
// Numbers in another base and with underscores are numbers; their text is not decimal. A decimal one with a leading zero is
// none here, though YAML 1.1 calls it octal: people who write `0012` mean an account, not ten.
func plainNumber(text string) (decimal string, ok bool) {
	sign, digits := "", text
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		sign, digits = text[:1], text[1:]
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if len(digits) > 2 && digits[0] == '0' && strings.ContainsAny(digits[1:2], "xXoObB") {
		n, ok := new(big.Int).SetString(digits, 0)
		if !ok {
			return "", false
		}
		return strings.TrimPrefix(sign, "+") + n.String(), true
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return "", false
	}
	if _, ok := parseDecimal(digits); !ok {
		return "", false
	}
	return sign + digits, true
}

// decimal is digits × 10^exponent, digits without zeros at either end; zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// maxExponent keeps a hostile exponent from becoming a million zeros.
const maxExponent = 100_000

func parseDecimal(text string) (decimal, bool) {
	var d decimal
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		d.negative, text = text[0] == '-', text[1:]
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return decimal{}, false
		}
		d.exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return decimal{}, false
	}
	d.exponent -= len(fraction)
	trimmed := strings.TrimRight(all, "0")
	d.exponent += len(all) - len(trimmed)
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		d.exponent = 0
	}
	return d, true
}

// String writes the number out exactly, in the grammar of JSON.
func (d decimal) String() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	point := len(d.digits) + d.exponent // digits before the decimal point
	switch {
	case d.digits == "":
		return sign + "0"
	case d.exponent >= 0 && point <= 400:
		return sign + d.digits + strings.Repeat("0", d.exponent)
	case point > 0 && point <= 400:
		return sign + d.digits[:point] + "." + d.digits[point:]
	case point > -20 && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + d.digits
	default:
		fraction := ""
		if len(d.digits) > 1 {
			fraction = "." + d.digits[1:]
		}
		return sign + d.digits[:1] + fraction + "e" + strconv.Itoa(point-1)
	}
}

// FitsFloat64 says whether a decimal number is what its nearest float64 prints as, so that nothing is lost where numbers are
// float64: in property values, in most programs. `1.10` and 2^53 fit, 2^53+1 does not.
func FitsFloat64(text string) bool {
	d, ok := parseDecimal(text)
	if !ok {
		return false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	// Whole numbers must be hit exactly; of a fraction it is enough that reading and printing gives it back.
	shortest, ok := parseDecimal(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok || shortest.digits != d.digits || shortest.exponent != d.exponent {
		return false
	}
	if d.exponent < 0 || d.digits == "" {
		return true
	}
	exact, accuracy := new(big.Float).SetFloat64(f).Int(nil)
	return accuracy == big.Exact && exact.String() == d.String()
}

// jsonNumber writes a number exactly: as encoding/json prints the float64 when that holds it, else all its digits.
func jsonNumber(kind Kind, text string) string {
	plain, ok := plainNumber(text)
	if !ok {
		return ""
	}
	d, ok := parseDecimal(plain)
	if !ok {
		return ""
	}
	if kind == Float && FitsFloat64(plain) {
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			if b, err := json.Marshal(f); err == nil {
				return string(b)
			}
		}
	}
	return d.String()
}
