package diy_test

import (
	"testing"

	"github.com/cairn-iac/cairn/internal/backend"
	"github.com/cairn-iac/cairn/internal/backend/backendtest"
	"github.com/cairn-iac/cairn/internal/backend/diy"
)

func TestContract(t *testing.T) {
	t.Parallel()
	backendtest.Run(t, func(t *testing.T) backendtest.Open {
		url := "file://" + t.TempDir()
		return func(t *testing.T) *backend.Backend {
			b, err := diy.Open(t.Context(), diy.Options{URL: url, Username: "u", Hostname: "h", Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	})
}
