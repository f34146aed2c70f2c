package provider

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cairn-iac/cairn/internal/engine/plugin"
	"github.com/cairn-iac/cairn/internal/property"
	"github.com/cairn-iac/cairn/internal/resource"
)

// toStatus makes the gRPC status of an error, such that an engine takes from it what the error means. An engine takes
// the codes Internal, DataLoss and Unknown to mean that nobody knows what was done, so a plain error must have none.
func toStatus(err error, encode func(property.Map) (*structpb.Struct, error)) (error, error) {
	var unhealthy *plugin.InitError
	var uncertain *plugin.UncertainError
	var missing *plugin.MissingConfigError
	var wrong *plugin.InputError
	switch {
	case errors.As(err, &unhealthy):
		return unhealthyStatus(unhealthy, encode)
	case errors.As(err, &uncertain):
		return status.Error(codes.Unknown, err.Error()), nil
	case errors.As(err, &missing):
		return detailed(codes.InvalidArgument, err.Error(), missingKeys(missing)), nil
	case errors.As(err, &wrong):
		return detailed(codes.InvalidArgument, wrong.Message, wrongProperties(wrong)), nil
	case errors.Is(err, plugin.ErrUnimplemented):
		text := strings.TrimPrefix(err.Error(), plugin.ErrUnimplemented.Error())
		return status.Error(codes.Unimplemented, strings.TrimPrefix(text, ": ")), nil
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error()), nil
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error()), nil
	default:
		return status.Error(codes.FailedPrecondition, err.Error()), nil
	}
}

// detailed is a status with a detail. One that cannot hold it says so: it is a programming error.
func detailed(code codes.Code, text string, detail protoadapt.MessageV1) error {
	s, err := status.New(code, text).WithDetails(detail)
	if err != nil {
		return status.Errorf(codes.Internal, "%s (the details cannot be sent: %v)", text, err)
	}
	return s.Err()
}

func unhealthyStatus(e *plugin.InitError, encode func(property.Map) (*structpb.Struct, error)) (error, error) {
	outputs, err := encode(e.Outputs)
	if err != nil {
		return nil, err
	}
	detail := &pulumirpc.ErrorResourceInitFailed{
		Id: string(e.ID), Properties: outputs, Reasons: e.Reasons, RefreshBeforeUpdate: e.RefreshBeforeUpdate,
	}
	if e.Inputs != nil {
		if detail.Inputs, err = encode(*e.Inputs); err != nil {
			return nil, err
		}
	}
	return detailed(codes.Unknown, e.Error(), detail), nil
}

func missingKeys(e *plugin.MissingConfigError) *pulumirpc.ConfigureErrorMissingKeys {
	out := &pulumirpc.ConfigureErrorMissingKeys{}
	for _, k := range e.Keys {
		out.MissingKeys = append(out.MissingKeys, &pulumirpc.ConfigureErrorMissingKeys_MissingKey{
			Name: k.Name, Description: k.Description,
		})
	}
	return out
}

func wrongProperties(e *plugin.InputError) *pulumirpc.InputPropertiesError {
	out := &pulumirpc.InputPropertiesError{}
	for _, f := range e.Failures {
		out.Errors = append(out.Errors, &pulumirpc.InputPropertiesError_PropertyError{PropertyPath: f.Property, Reason: f.Reason})
	}
	return out
}

// idOf is the id that a request names.
func idOf(r interface{ GetId() string }) resource.ID { return resource.ID(r.GetId()) }

// fromVariables reads configuration that was sent as text: <package>:config:<key>, values in JSON or as they are.
func fromVariables(variables map[string]string) property.Map {
	out := map[string]property.Value{}
	for k, text := range variables {
		key := k[strings.LastIndex(k, ":")+1:]
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			v = text
		}
		out[key] = fromJSON(v)
	}
	return property.MapOf(out)
}

func fromJSON(v any) property.Value {
	switch v := v.(type) {
	case bool:
		return property.Bool(v)
	case float64:
		return property.Number(v)
	case string:
		return property.String(v)
	case []any:
		items := make([]property.Value, len(v))
		for i, e := range v {
			items[i] = fromJSON(e)
		}
		return property.NewList(items...)
	case map[string]any:
		entries := make(map[string]property.Value, len(v))
		for k, e := range v {
			entries[k] = fromJSON(e)
		}
		return property.NewMap(entries)
	default:
		return property.Null()
	}
}
