package deploymentjson

// The signature key and its values mark objects that stand for something else.
const (
	sigKey       = "4dabf18193072939515e22adb298388d"
	sigSecret    = "1b47061264138c4ac30d75fd1eb44270"
	sigReference = "5cf8f73096256a8f31e491e813e4eb8e"
	sigAsset     = "c44067f5952c0a294b673a41bacd8c17"
	sigArchive   = "0def7320c3a5731c473e5ecbe6d01bc7"
	sigBytes     = "803fd3297a5875dc03ca845dda5d2a98"
	sigFloat     = "8ad145fe-0d11-4827-bfd7-1abcbf086f5c"

	// unknownText stands for a value that is not known.
	unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

	// emptyHash is the hash of nothing: a text asset without text is written without it, so only its hash tells.
	emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)
