package diy

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/cairn-iac/cairn/internal/backend"
)

// A frame is "<crc32c of the JSON, 8 hex digits> <JSON>\n".
const crcDigits = 8

func checksum(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

func appendFrame(dst, text []byte) []byte {
	dst = fmt.Appendf(dst, "%08x ", checksum(text))
	dst = append(dst, text...)
	return append(dst, '\n')
}

// parseFrame gives the JSON of a line without its line break.
func parseFrame(line []byte) ([]byte, error) {
	if len(line) < crcDigits+2 || line[crcDigits] != ' ' {
		return nil, errors.New("it does not begin with a checksum")
	}
	var want [4]byte
	if _, err := hex.Decode(want[:], line[:crcDigits]); err != nil {
		return nil, errors.New("it does not begin with a checksum")
	}
	text := line[crcDigits+1:]
	if got := checksum(text); !bytes.Equal(want[:], []byte{byte(got >> 24), byte(got >> 16), byte(got >> 8), byte(got)}) {
		return nil, errors.New("its checksum does not match its contents")
	}
	return text, nil
}

func (j journals) Read(ctx context.Context, ref backend.StackRef) (*backend.JournalContents, error) {
	if err := errors.Join(ctx.Err(), ref.Validate()); err != nil {
		return nil, err
	}
	path := j.journal(ref)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of stack '%s': %w", ref, explain(err))
	}
	contents, err := parseJournal(path, data)
	if err != nil {
		return nil, fmt.Errorf("stack '%s' has an unfinished update, but its journal cannot be read: %w", ref, err)
	}
	return contents, nil
}

// parseJournal takes a journal apart. Only the very last line may be damaged: it was being written when the writer
// died, and nobody was told that it is stored.
func parseJournal(path string, data []byte) (*backend.JournalContents, error) {
	contents := &backend.JournalContents{Location: path}
	for line := 1; len(data) > 0; line++ {
		text, rest, whole := bytes.Cut(data, []byte{'\n'})
		record, err := parseFrame(text)
		if err == nil && !whole {
			err = errors.New("it has no end")
		}
		if err != nil {
			if len(rest) > 0 {
				return nil, damagedJournal(path, line, err)
			}
			contents.Torn = &backend.TornRecord{Line: line, Bytes: len(data)}
			return contents, nil
		}
		data = rest
		if line > 1 {
			contents.Records = append(contents.Records, record)
			continue
		}
		if contents.Header, err = parseHeader(path, record); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

func parseHeader(path string, text []byte) (*backend.JournalHeader, error) {
	var h backend.JournalHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, damagedJournal(path, 1, err)
	}
	if h.Version > backend.JournalVersion {
		return nil, fmt.Errorf("journal %s has version %d, and this program knows versions up to %d; "+
			"finish that update with the release that began it, or a newer one", path, h.Version, backend.JournalVersion)
	}
	if h.Version < 1 {
		return nil, damagedJournal(path, 1, fmt.Errorf("version %d is no version", h.Version))
	}
	return &h, nil
}

func damagedJournal(path string, line int, err error) error {
	return &backend.DamagedError{
		Location: path,
		Line:     line,
		Reason:   err.Error(),
		WayOut: fmt.Sprintf("The checkpoint beside it still holds the state before that update. Restore the journal from a "+
			"backup, or go on without it: `mv %s %s.damaged`, then `pulumi refresh`. Its other lines name the resources "+
			"that the update created, changed or deleted", path, path),
	}
}
