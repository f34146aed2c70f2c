package asset

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/cairn-iac/cairn/internal/property"
)

// HashAsset is the hex sha256 of the contents of an asset.
func (r Reader) HashAsset(ctx context.Context, a property.Asset) (string, error) {
	b, err := r.open(ctx, a)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, b.body)
	return hexSum(sum), errors.Join(err, b.body.Close())
}

// HashArchive is the hex sha256 of an archive: of its file, or of the tar of its members.
func (r Reader) HashArchive(ctx context.Context, a property.Archive) (string, error) {
	sum := sha256.New()
	packed, isFile, err := r.archiveFile(ctx, a)
	if err != nil {
		return "", err
	}
	if isFile {
		_, err := io.Copy(sum, packed.body)
		return hexSum(sum), errors.Join(err, packed.body.Close())
	}
	if err := r.WriteTar(ctx, a, sum); err != nil {
		return "", err
	}
	return hexSum(sum), nil
}

func hexSum(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// archiveFile opens the file that an archive is, if it is one.
func (r Reader) archiveFile(ctx context.Context, a property.Archive) (blob, bool, error) {
	switch {
	case a.Source == property.SourcePath && formatOf(a.Location) != formatNone:
		b, err := r.openFile(r.absolute(a.Location))
		return b, true, err
	case a.Source == property.SourceURI:
		b, _, err := r.openPacked(ctx, a.Location)
		return b, true, err
	default:
		return blob{}, false, nil
	}
}

// WriteTar writes the members of an archive as the tar that its hash is made from. It is the same for the same members,
// wherever and whenever they are read.
func (r Reader) WriteTar(ctx context.Context, a property.Archive, to io.Writer) error {
	out := tar.NewWriter(to)
	seen := map[string]bool{}
	err := r.Walk(ctx, a, func(m Member) error {
		if seen[m.Name] {
			return nil
		}
		seen[m.Name] = true
		if err := out.WriteHeader(&tar.Header{Name: m.Name, Mode: 0o600, Size: m.Size}); err != nil {
			return fmt.Errorf("archive member %q: %w", m.Name, err)
		}
		n, err := io.Copy(out, m.Body)
		if err == nil && n != m.Size {
			err = fmt.Errorf("expected %d bytes, got %d; was it changed meanwhile?", m.Size, n)
		}
		if err != nil {
			return fmt.Errorf("archive member %q: %w", m.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// ComputeHashes gives m with the hashes of all assets and archives in it, also of those within archives and secrets.
// Hashes that are there already are kept, and nothing is read for them. Errors name the property path.
func (r Reader) ComputeHashes(ctx context.Context, m property.Map) (property.Map, error) {
	if !holdsAssets(property.FromMap(m)) {
		return m, nil
	}
	h := hasher{Reader: r, ctx: ctx}
	v, err := h.value(property.FromMap(m), nil)
	if err != nil {
		return property.Map{}, err
	}
	out, _ := v.AsMap()
	return out, nil
}

// holdsAssets spares the many maps without assets from being copied.
func holdsAssets(v property.Value) bool {
	switch v.Kind() {
	case property.KindAsset, property.KindArchive:
		return true
	case property.KindList:
		l, _ := v.AsList()
		for _, e := range l.All() {
			if holdsAssets(e) {
				return true
			}
		}
	case property.KindMap:
		m, _ := v.AsMap()
		for _, e := range m.All() {
			if holdsAssets(e) {
				return true
			}
		}
	default:
	}
	return false
}

type hasher struct {
	Reader
	ctx context.Context
}

// value gives v with hashes.
func (h hasher) value(v property.Value, at property.Path) (property.Value, error) {
	switch v.Kind() {
	case property.KindAsset:
		a, _ := v.AsAsset()
		if a.Hash != "" || a.Source == property.SourceNone {
			return v, nil
		}
		sum, err := h.HashAsset(h.ctx, a)
		if err != nil {
			return v, fmt.Errorf("property %s: failed to compute asset hash: %w", at, err)
		}
		a.Hash = sum
		return marked(property.FromAsset(a), v), nil
	case property.KindArchive:
		a, _ := v.AsArchive()
		return h.archive(v, a, at)
	case property.KindList:
		l, _ := v.AsList()
		items := l.Slice()
		for i, e := range items {
			c, err := h.value(e, at.Append(property.Index(i)))
			if err != nil {
				return v, err
			}
			items[i] = c
		}
		return marked(property.NewList(items...), v), nil
	case property.KindMap:
		m, _ := v.AsMap()
		c, err := h.entries(m, at)
		return marked(property.FromMap(c), v), err
	default:
		return v, nil
	}
}

func (h hasher) entries(m property.Map, at property.Path) (property.Map, error) {
	out := m.Clone()
	for k, e := range m.All() {
		c, err := h.value(e, at.Append(property.Key(k)))
		if err != nil {
			return m, err
		}
		out[k] = c
	}
	return property.MapOf(out), nil
}

func (h hasher) archive(v property.Value, a property.Archive, at property.Path) (property.Value, error) {
	if a.Source == property.SourceNone || a.Hash != "" {
		return v, nil
	}
	var err error
	if a.Assets, err = h.entries(a.Assets, at); err != nil {
		return v, err
	}
	if a.Hash, err = h.HashArchive(h.ctx, a); err != nil {
		return v, fmt.Errorf("property %s: failed to compute archive hash: %w", at, err)
	}
	return marked(property.FromArchive(a), v), nil
}

func marked(v, like property.Value) property.Value {
	return v.WithSecret(like.Secret()).WithDependencies(like.Dependencies())
}

func textBlob(s string) blob {
	return blob{body: io.NopCloser(strings.NewReader(s)), size: int64(len(s))}
}
