package random

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
)

// charset is one class of characters and how often it has to occur.
type charset struct {
	// use adds the class to what the rest of the text is drawn from; min counts without it too.
	use   bool
	chars []rune
	min   int64
}

const defaultSpecials = "!@#$%&*()-_=+[]{}<>:?"

// charsets reads the classes from the attributes of a RandomString or RandomPassword.
func charsets(in values) []charset {
	specials := in.str("overrideSpecial")
	if specials == "" {
		specials = defaultSpecials
	}
	return []charset{
		{in.flag("upper"), []rune("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), in.num("minUpper")},
		{in.flag("lower"), []rune("abcdefghijklmnopqrstuvwxyz"), in.num("minLower")},
		{in.flag("numeric"), []rune("0123456789"), in.num("minNumeric")},
		{in.flag("special"), []rune(specials), in.num("minSpecial")},
	}
}

// drawText draws length characters: of each class as many as it has to have, the rest from all that are in use, in
// random order. Everything comes from the system's cryptographic source.
func drawText(length int64, classes []charset) (string, error) {
	var all, text []rune
	for _, c := range classes {
		if c.use {
			all = append(all, c.chars...)
		}
		for range c.min {
			var err error
			if text, err = appendOneOf(text, c.chars); err != nil {
				return "", err
			}
		}
	}
	if len(all) == 0 {
		return "", errors.New("no characters to draw from: set at least one of upper, lower, numeric and special to true")
	}
	for int64(len(text)) < length {
		var err error
		if text, err = appendOneOf(text, all); err != nil {
			return "", err
		}
	}
	for i := len(text) - 1; i > 0; i-- {
		j, err := below(i + 1)
		if err != nil {
			return "", err
		}
		text[i], text[j] = text[j], text[i]
	}
	return string(text), nil
}

func appendOneOf(text, chars []rune) ([]rune, error) {
	i, err := below(len(chars))
	if err != nil {
		return nil, err
	}
	return append(text, chars[i]), nil
}

// below draws a number from 0 to n-1 without bias.
func below(n int) (int, error) {
	i, err := rand.Int(rand.Reader, big.NewInt(int64(n)))
	if err != nil {
		return 0, fmt.Errorf("draw a random number: %w", err)
	}
	return int(i.Int64()), nil
}
