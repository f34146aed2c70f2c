package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-iac/cairn/internal/resource"
	"github.com/cairn-iac/cairn/internal/state"
	"github.com/cairn-iac/cairn/internal/state/deploymentjson"
)

// The names of the kinds of record.
const (
	kindBegin   = "begin"
	kindSuccess = "success"
	kindFailure = "failure"
	kindSecrets = "secretsProvider"
	kindClear   = "clearPending"
	kindFolded  = "folded"
)

// line is the JSON shape of every record.
type line struct {
	Record    string                 `json:"record"`
	Ticket    int64                  `json:"ticket,omitempty"`
	Operation resource.PendingKind   `json:"operation,omitempty"`
	Existing  *Ref                   `json:"existing,omitempty"`
	Resource  json.RawMessage        `json:"resource,omitempty"`
	Drop      []Ref                  `json:"drop,omitempty"`
	Flag      []flagLine             `json:"flag,omitempty"`
	First     int64                  `json:"first,omitempty"`
	Put       []json.RawMessage      `json:"put,omitempty"`
	Provider  *state.SecretsProvider `json:"provider,omitempty"`
	Pending   []int                  `json:"pending,omitempty"`
	// Checkpoint is a hash in hex.
	Checkpoint string `json:"checkpoint,omitempty"`
}

type flagLine struct {
	On                 Ref  `json:"on"`
	Delete             bool `json:"delete,omitempty"`
	PendingReplacement bool `json:"pendingReplacement,omitempty"`
	Taint              bool `json:"taint,omitempty"`
}

// Encode writes a record as one line of JSON, secrets encrypted.
func Encode(ctx context.Context, r Record, s *deploymentjson.Secrets) ([]byte, error) {
	var l line
	var err error
	switch r := r.(type) {
	case Begin:
		l = line{Record: kindBegin, Ticket: r.Ticket, Operation: r.Kind, Existing: r.Existing}
		if r.Existing == nil {
			l.Resource, err = deploymentjson.AppendResource(ctx, nil, r.Resource, s)
		}
	case Success:
		l, err = successLine(ctx, r, s)
	case Failure:
		l = line{Record: kindFailure, Ticket: r.Ticket}
	case SecretsProvider:
		l = line{Record: kindSecrets, Provider: r.Provider}
	case ClearPending:
		l = line{Record: kindClear, Pending: r.Base}
	case Folded:
		l = line{Record: kindFolded, Checkpoint: r.Checkpoint}
	default:
		panic(fmt.Sprintf("journal: unknown record %T", r))
	}
	if err != nil {
		return nil, fmt.Errorf("encode a journal record: %w", err)
	}
	return l.text()
}

func successLine(ctx context.Context, r Success, s *deploymentjson.Secrets) (line, error) {
	l := line{Record: kindSuccess, Ticket: r.Ticket, Drop: r.Drop}
	for _, f := range r.Flag {
		l.Flag = append(l.Flag, flagLine{On: f.Ref, Delete: f.Delete, PendingReplacement: f.PendingReplacement, Taint: f.Taint})
	}
	for i, p := range r.Put {
		if i == 0 {
			l.First = p.N
		}
		text, err := deploymentjson.AppendResource(ctx, nil, p.State, s)
		if err != nil {
			return line{}, err
		}
		l.Put = append(l.Put, text)
	}
	return l, nil
}

func (l line) text() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, fmt.Errorf("encode a journal record: %w", err)
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

// Decode reads what Encode wrote.
func Decode(ctx context.Context, text []byte, s *deploymentjson.Secrets) (Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	switch l.Record {
	case kindBegin:
		return l.begin(ctx, s)
	case kindSuccess:
		return l.success(ctx, s)
	case kindFailure:
		return Failure{Ticket: l.Ticket}, nil
	case kindSecrets:
		return SecretsProvider{Provider: l.Provider}, nil
	case kindClear:
		return ClearPending{Base: l.Pending}, nil
	case kindFolded:
		return Folded{Checkpoint: l.Checkpoint}, nil
	default:
		return nil, fmt.Errorf("%q is no kind of record that this version knows", l.Record)
	}
}

func (l line) begin(ctx context.Context, s *deploymentjson.Secrets) (Record, error) {
	b := Begin{Ticket: l.Ticket, Kind: l.Operation, Existing: l.Existing}
	if l.Existing != nil {
		return b, nil
	}
	if len(l.Resource) == 0 {
		return nil, errors.New("a begin record without a resource")
	}
	var err error
	b.Resource, err = deploymentjson.DecodeResource(ctx, l.Resource, s)
	return b, err
}

func (l line) success(ctx context.Context, s *deploymentjson.Secrets) (Record, error) {
	r := Success{Ticket: l.Ticket, Drop: l.Drop}
	for _, f := range l.Flag {
		r.Flag = append(r.Flag, Flags{Ref: f.On, Delete: f.Delete, PendingReplacement: f.PendingReplacement, Taint: f.Taint})
	}
	for i, text := range l.Put {
		st, err := deploymentjson.DecodeResource(ctx, text, s)
		if err != nil {
			return nil, err
		}
		r.Put = append(r.Put, Put{N: l.First + int64(i), State: st})
	}
	return r, nil
}
