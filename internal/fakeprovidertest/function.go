package fakeprovidertest

import (
	"context"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// TokenInvoke is the token of the function.
const TokenInvoke = "fp:index:invoke"

// Invoke implements the provider protocol: the arguments come back, with upper for a value that is a text. The
// argument fail is a check failure with that reason instead.
func (s *Server) Invoke(_ context.Context, r *pulumirpc.InvokeRequest) (*pulumirpc.InvokeResponse, error) {
	if r.GetTok() != TokenInvoke {
		return nil, status.Errorf(codes.InvalidArgument, "fp has no function %q", r.GetTok())
	}
	args := orEmpty(r.GetArgs())
	if reason := plain(args.GetFields()["fail"]).GetStringValue(); reason != "" {
		return &pulumirpc.InvokeResponse{Failures: []*pulumirpc.CheckFailure{{Property: "fail", Reason: reason}}}, nil
	}
	result := copyStruct(args)
	value, ok := args.GetFields()["value"]
	if text, isText := plain(value).GetKind().(*structpb.Value_StringValue); ok && isText {
		upper := structpb.NewStringValue(strings.ToUpper(text.StringValue))
		switch {
		case hasUnknown(value):
			upper = value
		case hasSecret(value):
			upper = secretValue(upper)
		}
		result.Fields["upper"] = upper
	}
	return &pulumirpc.InvokeResponse{Return: result}, nil
}
