package workspace

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"time"
)

// Token is a credential. It prints as `[credential]` wherever it is not written to its file on purpose.
type Token string

func (Token) String() string { return "[credential]" }

// GoString keeps a token out of %#v.
func (Token) GoString() string { return "[credential]" }

// Account is what is known about the user at one backend. For a local backend that is nothing.
type Account struct {
	AccessToken      Token           `json:"accessToken,omitempty"`
	RefreshToken     Token           `json:"refreshToken,omitempty"`
	Username         string          `json:"username,omitempty"`
	Organizations    []string        `json:"organizations,omitempty"`
	LastValidatedAt  time.Time       `json:"lastValidatedAt"`
	Insecure         bool            `json:"insecure,omitempty"`
	TokenInformation json.RawMessage `json:"tokenInformation,omitempty"`

	rest map[string]json.RawMessage
}

// plainAccount is an account without its own marshalling.
type plainAccount Account

// UnmarshalJSON keeps what it has no field for.
func (a *Account) UnmarshalJSON(data []byte) error {
	rest, err := splitRecord(data, (*plainAccount)(a), "accessToken", "refreshToken", "username", "organizations", "lastValidatedAt",
		"insecure", "tokenInformation")
	if err != nil {
		return err
	}
	a.rest = rest
	return nil
}

// MarshalJSON writes the tokens: it is for the credentials file only.
func (a Account) MarshalJSON() ([]byte, error) {
	plain := plainAccount(a)
	return record{known: &plain, rest: a.rest}.text()
}

// Credentials is the content of credentials.json.
type Credentials struct {
	// Current is the URL of the backend that is logged in to, or empty.
	Current string
	// Accounts are by backend URL.
	Accounts map[string]Account

	version int
	helper  json.RawMessage
	rest    map[string]json.RawMessage
}

// credentialsFile is the shape on disk. The tokens stand twice, for older CLIs.
type credentialsFile struct {
	Version          int                `json:"version,omitempty"`
	CredentialHelper json.RawMessage    `json:"credentialHelper,omitempty"`
	Current          string             `json:"current,omitempty"`
	AccessTokens     map[string]Token   `json:"accessTokens,omitempty"`
	Accounts         map[string]Account `json:"accounts,omitempty"`
}

// sealedKey marks a credentials file that is encrypted by a key of the operating system's store.
const sealedKey = "$pulumiSecureStore"

// SealedCredentialsError says that credentials.json is encrypted in a way that this version cannot open. The file is left as
// it is.
type SealedCredentialsError struct{ Path string }

func (e *SealedCredentialsError) Error() string {
	return fmt.Sprintf("the credentials file %s is encrypted with a key of the operating system's store "+
		"(PULUMI_CREDENTIAL_STORE), which is not available yet: choose the backend with PULUMI_BACKEND_URL, "+
		"or put the credentials elsewhere with PULUMI_CREDENTIALS_PATH", e.Path)
}

func (h Home) credentialsPath() string { return filepath.Join(h.CredentialsDir, "credentials.json") }

// Credentials reads credentials.json. A file that is not there holds none. An encrypted one is a [SealedCredentialsError].
func (h Home) Credentials() (Credentials, error) {
	var onDisk credentialsFile
	rest, _, err := readRecord(h.credentialsPath(), &onDisk, "version", "credentialHelper", "current", "accessTokens", "accounts")
	if err != nil {
		return Credentials{}, fmt.Errorf("failed to read Pulumi credentials file. Please fix or delete invalid credentials file: '%s': %w",
			h.credentialsPath(), err)
	}
	if _, sealed := rest[sealedKey]; sealed {
		return Credentials{}, &SealedCredentialsError{Path: h.credentialsPath()}
	}
	c := Credentials{
		Current: onDisk.Current, Accounts: map[string]Account{}, version: onDisk.Version, helper: onDisk.CredentialHelper, rest: rest,
	}
	for url, token := range onDisk.AccessTokens {
		c.Accounts[url] = Account{AccessToken: token}
	}
	maps.Copy(c.Accounts, onDisk.Accounts)
	return c, nil
}

// Login makes a backend current.
func (c *Credentials) Login(url string, account Account) {
	if c.Accounts == nil {
		c.Accounts = map[string]Account{}
	}
	c.Accounts[url], c.Current = account, url
}

// Logout forgets a backend.
func (c *Credentials) Logout(url string) {
	delete(c.Accounts, url)
	if c.Current == url {
		c.Current = ""
	}
}

// SaveCredentials writes credentials.json for the user's eyes only, or removes it when there is nothing to say. It does not
// replace a file that [Home.Credentials] cannot read.
func (h Home) SaveCredentials(c Credentials) error {
	if _, err := h.Credentials(); err != nil {
		return err
	}
	if c.Current == "" && len(c.Accounts) == 0 && c.helper == nil {
		return remove(h.credentialsPath())
	}
	onDisk := credentialsFile{
		Version: c.version, CredentialHelper: c.helper, Current: c.Current, AccessTokens: map[string]Token{}, Accounts: c.Accounts,
	}
	for url, account := range c.Accounts {
		onDisk.AccessTokens[url] = account.AccessToken
	}
	data, err := record{known: &onDisk, rest: c.rest}.text()
	if err != nil {
		return fmt.Errorf("write %s: %w", h.credentialsPath(), err)
	}
	return file{path: h.credentialsPath(), data: data, perm: 0o600, dirPerm: 0o700, private: true}.write()
}
