package wire_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/wire"
)

// FuzzValueRoundTrip: whatever bytes arrive, decoding does not panic, and what was decoded survives encoding and
// decoding unchanged.
func FuzzValueRoundTrip(f *testing.F) {
	for _, seed := range []string{
		`{"a":null,"b":true,"c":1.5,"d":"x","e":[1,{"f":[]}],"__g":{}}`,
		`{"a":{` + secret + `,"value":{"b":` + unknown + `}}}`,
		`{"a":{` + output + `,"value":[{` + secret + `,"value":1}],"secret":true,"dependencies":["` + someURN + `"]}}`,
		`{"a":{` + output + `,"dependencies":["x","x",""]}}`,
		`{"a":{` + reference + `,"urn":"` + someURN + `","id":"","packageVersion":"1"}}`,
		`{"a":{` + reference + `,"urn":"` + someURN + `","id":{` + output + `,"secret":true}}}`,
		`{"a":[{` + asset + `,"text":""},{` + asset + `,"hash":"h"},{` + asset + `,"uri":"u"}]}`,
		`{"a":{` + archive + `,"assets":{"x":{` + secret + `,"value":{` + archive + `,"path":"p"}}}}}`,
		`{"a":{` + bytesSig + `,"value":"/w=="},"b":{` + sig + `:"?"}}`,
	} {
		s := &structpb.Struct{}
		if err := protojson.Unmarshal([]byte(seed), s); err != nil {
			f.Fatal(err)
		}
		data, err := proto.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		for flags := range byte(8) {
			f.Add(data, flags)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, flags byte) {
		s := &structpb.Struct{}
		if proto.Unmarshal(data, s) != nil {
			return
		}
		o := wire.Options{
			Unknowns: wire.Unknowns(flags & 3 % 3), KeepSecrets: flags&4 != 0, KeepResources: flags&8 != 0,
			KeepOutputValues: flags&16 != 0, SkipNulls: flags&32 != 0, SkipInternalKeys: flags&64 != 0,
		}
		m, err := wire.FromStruct(s, o)
		if err != nil {
			return
		}
		o.KeepByteStrings = true
		once, err := wire.ToStruct(m, o)
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		again, err := wire.FromStruct(once, o)
		if err != nil {
			t.Fatalf("decode what was encoded: %v\n%v", err, once)
		}
		if !m.Equal(again) {
			t.Fatalf("changed by a round trip:\n%v", once)
		}
		twice, err := wire.ToStruct(again, o)
		if err != nil || !proto.Equal(once, twice) {
			t.Fatalf("unstable (%v):\n%v\n%v", err, once, twice)
		}
	})
}
