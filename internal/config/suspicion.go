package config

import (
	"math"
	"regexp"
	"strings"
	"unicode"
)

// LooksLikeSecret guesses whether somebody is about to store a credential in plaintext: the key's name speaks of one and the
// value has the randomness of one. It errs on the side of silence; `config set` asks for `--secret` or `--plaintext` when it
// is true.
func LooksLikeSecret(k Key, text string) bool {
	if !regexp.MustCompile(`(?i)passwd|pass|pwd|secret|token`).MatchString(k.Name) {
		return false
	}
	// The beginning tells enough, and long prose must not add up to a credential.
	const judged = 16
	runes := []rune(text)
	if len(runes) > judged {
		runes = runes[:judged]
	}
	if len(runes) == 0 {
		return false
	}
	bits := guessBits(runes)
	return bits >= 40 && bits/float64(len(runes)) >= 3
}

// guessBits estimates how hard a text is to guess: letters in the shape of a word (3 for e and the like included),
// separators, repetitions and sequences are cheap, anything else costs as much as its alphabet is large.
func guessBits(runes []rune) float64 {
	perRune := math.Log2(float64(alphabet(runes)))
	letters := []rune(strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s").
		Replace(string(runes)))
	bits := 0.0
	for i := 0; i < len(runes); {
		end := i + 1
		for end < len(runes) && unicode.IsLetter(letters[i]) && unicode.IsLetter(letters[end]) &&
			!(unicode.IsLower(letters[end-1]) && unicode.IsUpper(letters[end])) {
			end++
		}
		if isWord(letters[i:end]) {
			bits += 2 * float64(end-i)
			i = end
			continue
		}
		for ; i < end; i++ {
			switch isLetterOrDigit := unicode.IsLetter(letters[i]) || unicode.IsDigit(runes[i]); {
			case i > 0 && abs(runes[i]-runes[i-1]) <= 1:
				bits++
			case !isLetterOrDigit:
				bits += 2
			default:
				bits += perRune
			}
		}
	}
	return bits
}

func abs(r rune) rune { return max(r, -r) }

// alphabet is the number of characters that texts like this one choose from.
func alphabet(runes []rune) int {
	var lower, upper, digit, other int
	for _, r := range runes {
		switch {
		case unicode.IsLower(r):
			lower = 26
		case unicode.IsUpper(r):
			upper = 26
		case unicode.IsDigit(r):
			digit = 10
		default:
			other = 33
		}
	}
	return lower + upper + digit + other
}

// isWord knows a run of letters that could be read aloud: small letters but perhaps for the first, or a few capitals; vowels
// in it, and never more than three consonants together.
func isWord(run []rune) bool {
	consonants, vowels, capitals := 0, 0, 0
	for i, r := range run {
		if i > 0 && unicode.IsUpper(r) {
			capitals++
		}
		if strings.ContainsRune("aeiouy", unicode.ToLower(r)) {
			vowels, consonants = vowels+1, 0
		} else if consonants++; consonants > 3 {
			return false
		}
	}
	return len(run) >= 2 && vowels > 0 && (capitals == 0 || capitals == len(run)-1 && len(run) <= 6)
}
