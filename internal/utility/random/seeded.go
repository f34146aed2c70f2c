package random

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math"
	"math/rand"
	"strconv"
	"strings"
)

// generator gives the number generator of a seed: the same seed gives the same numbers as the published provider, which
// hashes it with the CRC-64 of ISO 3309. Without a seed the start is drawn from the system's cryptographic source.
func generator(seed string) (*rand.Rand, error) {
	if seed != "" {
		sum := crc64.Checksum([]byte(seed), crc64.MakeTable(crc64.ISO))
		return rand.New(rand.NewSource(int64(sum))), nil
	}
	b, err := randomData(8)
	if err != nil {
		return nil, err
	}
	return rand.New(rand.NewSource(int64(binary.LittleEndian.Uint64(b)))), nil
}

// randomInteger defines RandomInteger.
func randomInteger() *definition {
	return &definition{
		name: "RandomInteger",
		doc:  "A random whole number from a range.",
		attributes: []attribute{
			identifier(), keepers(onNewEntries),
			{name: "min", kind: kindInt, mode: required, replacement: onChange, doc: "The smallest number to draw."},
			{name: "max", kind: kindInt, mode: required, replacement: onChange, doc: "The largest number to draw."},
			{name: "seed", kind: kindString, mode: optional, replacement: onChange, emptyIsNull: true,
				doc: "Text that makes the result reproducible: the same seed and range give the same number."},
			{name: "result", kind: kindInt, mode: computed, doc: "The number."},
		},
		idFrom: idAttribute,
		check: func(in values) []problem {
			low, high := in["min"], in["max"]
			if low.known() && high.known() && !low.isNull() && !high.isNull() && in.num("min") > in.num("max") {
				return []problem{{"min", "min must not be larger than max"}}
			}
			return nil
		},
		create: func(in values) (values, error) {
			rng, err := generator(in.str("seed"))
			if err != nil {
				return nil, err
			}
			n := integerBetween(rng, in.num("min"), in.num("max"))
			return values{"result": {n}, idAttribute: {strconv.FormatInt(n, 10)}}, nil
		},
		importID: importInteger,
	}
}

// integerBetween draws from low to high, both included. Ranges of less than 2^63 numbers are drawn the way the published
// provider does on 64-bit machines; wider ones it cannot draw at all.
func integerBetween(rng *rand.Rand, low, high int64) int64 {
	span := uint64(high) - uint64(low) + 1
	switch {
	case span == 0:
		return int64(rng.Uint64())
	case span <= math.MaxInt32:
		return low + int64(rng.Int31n(int32(span)))
	case span <= math.MaxInt64:
		return low + rng.Int63n(int64(span))
	}
	for {
		if n := rng.Uint64(); n < span {
			return int64(uint64(low) + n)
		}
	}
}

func importInteger(text string) (values, error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 && len(parts) != 4 {
		return nil, fmt.Errorf("the id must be RESULT,MIN,MAX or RESULT,MIN,MAX,SEED")
	}
	out := values{idAttribute: {parts[0]}}
	for i, name := range []string{"result", "min", "max"} {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the id must be RESULT,MIN,MAX or RESULT,MIN,MAX,SEED: %s is not a whole number: %w", name, err)
		}
		out[name] = value{n}
	}
	if len(parts) == 4 && parts[3] != "" {
		out["seed"] = value{parts[3]}
	}
	return out, nil
}

// randomShuffle defines RandomShuffle.
func randomShuffle() *definition {
	return &definition{
		name: "RandomShuffle",
		doc:  "A list of strings in random order, or random picks of it.",
		attributes: []attribute{
			identifier(), keepers(onNewEntries),
			{name: "inputs", renamed: "input", kind: kindStringList, mode: required, replacement: onChange,
				doc: "The strings to shuffle."},
			{name: "resultCount", kind: kindInt, mode: optional, replacement: onChange, limits: &limits{0, maxSize},
				doc: "How many strings to give: as many as there are inputs when not set. With more than that, every input " +
					"comes once before any comes again."},
			{name: "seed", kind: kindString, mode: optional, replacement: onChange,
				doc: "Text that makes the order reproducible: the same seed and inputs give the same results."},
			{name: "results", renamed: "result", kind: kindStringList, mode: computed, echoes: "inputs",
				doc: "The strings in random order."},
		},
		idFrom: idAttribute,
		create: func(in values) (values, error) {
			rng, err := generator(in.str("seed"))
			if err != nil {
				return nil, err
			}
			inputs, _ := in["inputs"].v.([]value)
			count := len(inputs)
			if !in["resultCount"].isNull() {
				count = int(in.num("resultCount"))
			}
			return values{idAttribute: {"-"}, "results": {shuffle(rng, inputs, count)}}, nil
		},
	}
}

// shuffle gives count of the inputs: permutation after permutation until there are enough.
func shuffle(rng *rand.Rand, inputs []value, count int) []value {
	out := make([]value, 0, count)
	for len(inputs) > 0 && len(out) < count {
		for _, i := range rng.Perm(len(inputs)) {
			if len(out) < count {
				out = append(out, inputs[i])
			}
		}
	}
	return out
}
