package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// record is a JSON file whose unknown keys survive: known is a pointer to a struct, rest has what it has no field for.
type record struct {
	known any
	rest  map[string]json.RawMessage
}

// readRecord reads a file into known, whose keys are own. It is false when the file is not there or empty: a write that was
// cut off leaves nothing to lose.
func readRecord(path string, known any, own ...string) (rest map[string]json.RawMessage, found bool, err error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(bytes.TrimSpace(data)) == 0:
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	rest, err = splitRecord(data, known, own...)
	return rest, err == nil, err
}

// splitRecord reads JSON text into known and gives what is not of its own keys.
func splitRecord(data []byte, known any, own ...string) (rest map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, known); err != nil {
		return nil, err
	}
	for _, key := range own {
		delete(rest, key)
	}
	return rest, nil
}

// text writes the known keys in their order, then the others.
func (r record) text() ([]byte, error) {
	flat, err := json.Marshal(r.known)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(r.rest)) {
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		separator := ","
		if len(flat) == len("{}") {
			separator = ""
		}
		flat = fmt.Appendf(flat[:len(flat)-1], "%s%s:%s}", separator, name, r.rest[key])
	}
	var b bytes.Buffer
	if err := json.Indent(&b, flat, "", "    "); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
