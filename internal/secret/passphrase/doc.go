// Package passphrase keeps a stack's secrets under a passphrase: the manager of type "passphrase" that every local stack
// has by default.
//
// The key is PBKDF2-HMAC-SHA256 of the passphrase with 1,000,000 rounds over a salt of 8 random bytes; the ciphertext is
// that of [secret.Symmetric]. A stack's file and its checkpoint keep the salt together with the ciphertext of the word
// "pulumi", so that a wrong passphrase is known before anything is decrypted, let alone written.
//
// The package reads no environment of the process and asks nobody by itself: a [Source] says where passphrases come from.
// It keeps no state outside of a [Keyring], and no error of it holds a passphrase. Entry points: [New] and [Open] for a
// known passphrase, [NewKeyring] for one that must be found.
package passphrase
