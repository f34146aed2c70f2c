// Package upstreamtest compares what this program prints and writes with what the Pulumi CLI did (testdata/upstream).
//
// It takes out what must differ between two right runs and nothing else; the rest is compared field by field, with
// cmp.Diff on what [Rules.Document], [Rules.Events], [Rules.Text] and [Layout] answer.
//
// Values. Unless Rules.KeepValues:
//   - A custom resource's id becomes "<TYPE::NAME id>" (a second one of the same URN "id 2") wherever it appears in a
//     string. Ids that are no accident stay: "none", "-", and those of resources with a seed. An id under six
//     characters is replaced in its own field and its output only.
//   - Outputs that are random by nature become "<TYPE::NAME PROPERTY>", and so does every string that holds one:
//     result of RandomString, RandomPassword, RandomUuid, RandomUuid4 and RandomUuid7, bcryptHash of RandomPassword,
//     b64Std, b64Url, dec and hex of RandomId, base64 and hex of RandomBytes; without a seed also result of
//     RandomInteger and results of RandomShuffle.
//   - Rules.Names adds those of other documents: a no-op preview shows outputs without the states they come from.
//     Names.Set adds the test's own, such as its temporary folder.
//
// Always:
//   - Any other UUID becomes "<uuid>", a salt "<salt>", a ciphertext "<ciphertext>".
//   - Secret envelopes become {"<secret>": X}: the normalised value for plaintext, "[secret]" for a masked one,
//     "<ciphertext>" for an encrypted one.
//   - States lose created, modified, sourcePosition and stackTrace; dependencies, the lists in propertyDependencies,
//     aliases, additionalSecretOutputs and replaceWith are sorted, for they are sets.
//   - Manifests lose time, magic and version.
//   - Arrays of resources and of steps are sorted by URN; entries of one URN keep their order.
//   - A preview loses duration; history entries lose startTime, endTime and the environment's pulumi.version; stack
//     lists lose lastUpdate.
//   - Event rows lose sequence and timestamp, the summary durationSeconds. Diagnostics of severity debug are dropped:
//     they are talk of the language host. Rows are sorted by URN with the order within a URN kept; the prelude stays
//     first, diagnostics without a URN, the summary and the cancel event last.
//
// Text:
//   - Terminal colours go. Heartbeat rows ("@ updating....") go. Seconds become (Ns), "Duration: Ns".
//   - Progress rows are sorted by type and name, with the order within a resource kept; blocks of a --diff by URN.
//   - Points in time become <time>, distances <ago>, and tables with them lose their padding. The program's version
//     becomes <version>, the holder of a lock <holder>.
//
// Layouts lose .attrs sidecars, which nobody needs, and the nanoseconds in names are numbered within their folder.
package upstreamtest
