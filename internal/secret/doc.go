// Package secret is the vocabulary of encryption: what can encrypt one text ([Crypter]), what stands behind a whole stack
// ([Manager]), and the `v1:` ciphertext format that the passphrase and key-management managers share ([Symmetric]).
//
// It refuses to know where keys come from (that is the managers' own business, one layer up) and never puts a plaintext, a
// key or a passphrase into an error. Entry point: [Manager].
package secret
