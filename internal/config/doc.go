// Package config is a stack's configuration: keys, values that keep their text and type, and the file `Pulumi.<stack>.yaml`
// they stand in.
//
// A value is what the file says and nothing is rounded on the way: `0012` stays `0012`, `1.10` stays `1.10`, an integer of
// any length keeps its digits. Editing changes the nodes of the file, so comments, order, quoting and keys that this version
// does not know survive. The package opens no file, knows no keys for decryption and does not resolve `environment:`; it says
// that one is there. Entry points: [Parse] for the file, [ParseAddress] for a key on the command line.
package config
