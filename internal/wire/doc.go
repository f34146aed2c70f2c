// Package wire converts between the protobuf messages of the published services and the values of this program. It is
// the only place that knows how a value looks on the wire.
//
// Values travel as google.protobuf.Struct, where an object with the signature key stands for what JSON cannot say: a
// secret, an output value, an asset, an archive, a resource reference, a string that is not UTF-8; and an unknown
// value is one of seven sentinel strings. [ToStruct] and [FromStruct] convert; which of these a peer understands is
// said by [Options]. There is a named preset for every call of the two services (preset.go), so that nobody puts
// options together by hand.
//
// The rules where the contract leaves room:
//   - A dropped unknown leaves its map, and leaves null in its place in a list, in both directions: positions never move.
//   - Every sentinel reads as the same unknown; the one for strings is what is sent.
//   - Marks inside an output value or a secret add up: a secret within a plain output value stays secret.
//   - An asset or archive has one source: of path, uri and text (assets) the first that is not empty wins.
//   - What cannot be a mark of its own on the wire (a secret entry of an archive, a secret id of a reference) marks the
//     whole value.
//
// The package refuses to read files (package asset computes hashes), to guess what a peer supports, and to speak gRPC.
// Errors carry the property path and never a value.
package wire
