package wire

// The signature key and its values mark objects that stand for something else.
const (
	sigKey       = "4dabf18193072939515e22adb298388d"
	sigSecret    = "1b47061264138c4ac30d75fd1eb44270"
	sigReference = "5cf8f73096256a8f31e491e813e4eb8e"
	sigOutput    = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
	sigAsset     = "c44067f5952c0a294b673a41bacd8c17"
	sigArchive   = "0def7320c3a5731c473e5ecbe6d01bc7"
	sigBytes     = "803fd3297a5875dc03ca845dda5d2a98"
)

// The sentinels are strings that stand for a value of a type that is not known yet.
const (
	unknownBool    = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"
	unknownNumber  = "3eeb2bf0-c639-47a8-9e75-3b44932eb421"
	unknownArray   = "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2"
	unknownAsset   = "030794c1-ac77-496b-92df-f27374a8bd58"
	unknownArchive = "e48ece36-62e2-4504-bad9-02848725956a"
	unknownObject  = "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"

	// Unknown is the sentinel for strings. It is sent for every unknown value, and as the id of a resource whose id
	// is not known.
	Unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
)

// The hashes of nothing tell an empty asset or archive from one of which only the hash was sent.
const (
	emptyAssetHash   = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	emptyArchiveHash = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
)

// IsUnknown says whether s is one of the sentinels.
func IsUnknown(s string) bool {
	switch s {
	case unknownBool, unknownNumber, Unknown, unknownArray, unknownAsset, unknownArchive, unknownObject:
		return true
	default:
		return false
	}
}
