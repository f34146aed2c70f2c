package passphrase

import (
	"sync"

	"github.com/cairn-iac/cairn/internal/secret"
)

// Keys remembers derived keys, for a process that runs many commands on the same stacks, each with a keyring of its own.
// The zero value is empty; a nil *Keys remembers nothing.
type Keys struct {
	mu      sync.Mutex
	derived map[attempt]*secret.Symmetric
}

// String keeps keys out of whatever prints them.
func (*Keys) String() string { return "passphrase keys" }

// GoString is String.
func (k *Keys) GoString() string { return k.String() }

func (k *Keys) derive(passphrase string, salt []byte) (*secret.Symmetric, error) {
	if k == nil {
		return derive(passphrase, salt)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	a := attempt{string(salt), passphrase}
	if key := k.derived[a]; key != nil {
		return key, nil
	}
	key, err := derive(passphrase, salt)
	if err != nil {
		return nil, err
	}
	if k.derived == nil {
		k.derived = map[attempt]*secret.Symmetric{}
	}
	k.derived[a] = key
	return key, nil
}
