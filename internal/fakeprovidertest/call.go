package fakeprovidertest

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Call is one RPC that the provider received.
type Call struct {
	Method  string `json:"method"` // short: Create, Diff, Configure
	URN     string `json:"urn,omitempty"`
	Name    string `json:"name,omitempty"` // the resource's name; the token of an Invoke or Call
	ID      string `json:"id,omitempty"`   // the id in the request
	Preview bool   `json:"preview,omitempty"`
	// Number counts the calls of the same method, name and preview flag in this ledger, from 1.
	Number int `json:"number,omitempty"`
	// Request and Response are the messages in protobuf's JSON form, secrets in plain text.
	Request  json.RawMessage `json:"request,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Error    string          `json:"error,omitempty"`
	Code     string          `json:"code,omitempty"` // gRPC code of Error
	PID      int             `json:"pid"`
	Begin    time.Time       `json:"begin"`
	End      time.Time       `json:"end"`
	Done     bool            `json:"done,omitempty"` // false: killed, or still running
}

// Properties is a struct field of the request as a plain object: "news" of Check, Diff and Update, "properties" of
// Create, "args" of Configure and Invoke. Nil when the request has no such field.
func (c Call) Properties(field string) map[string]any {
	request := map[string]json.RawMessage{}
	var properties map[string]any
	if json.Unmarshal(c.Request, &request) != nil || json.Unmarshal(request[field], &properties) != nil {
		return nil
	}
	return properties
}

// MethodInterrupt is the method of the calls that stand for signals.
const MethodInterrupt = "Interrupt"

// CallsOf keeps the calls of one method that were no previews.
func CallsOf(calls []Call, method string) []Call {
	var kept []Call
	for _, c := range calls {
		if c.Method == method && !c.Preview {
			kept = append(kept, c)
		}
	}
	return kept
}

// callRow is the begin or the end of a call in the log; the two share a key.
type callRow struct {
	Key  string `json:"key"`
	Call Call   `json:"call"`
}

// callLog is the shared file of calls, with the counters that rules refer to.
type callLog struct {
	mu     sync.Mutex
	file   rowFile
	begun  []*Call
	byKey  map[string]*Call
	counts map[countKey]int
	minted int
}

type countKey struct {
	method, name string
	preview      bool
}

func openCallLog(path string) *callLog {
	return &callLog{file: rowFile{path: path}, byKey: map[string]*Call{}, counts: map[countKey]int{}}
}

// begin logs the call before anything happens, and numbers it. The key belongs to end.
func (l *callLog) begin(call Call) (numbered Call, key string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.file.locked(func(file *os.File) error {
		if err := l.file.tail(file, l.fold); err != nil {
			return err
		}
		l.minted++
		call.PID, call.Begin = os.Getpid(), time.Now()
		call.Number = 1 + l.counts[countKey{call.Method, call.Name, call.Preview}]
		key = fmt.Sprintf("%d-%d-%d", call.PID, call.Begin.UnixNano(), l.minted)
		return l.add(file, callRow{Key: key, Call: call})
	})
	return call, key, err
}

func (l *callLog) end(key string, call Call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.locked(func(file *os.File) error {
		if err := l.file.tail(file, l.fold); err != nil {
			return err
		}
		call.Request, call.Done, call.End = nil, true, time.Now()
		return l.add(file, callRow{Key: key, Call: call})
	})
}

func (l *callLog) list() ([]Call, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var calls []Call
	err := l.file.locked(func(file *os.File) error {
		if err := l.file.tail(file, l.fold); err != nil {
			return err
		}
		for _, c := range l.begun {
			calls = append(calls, *c)
		}
		return nil
	})
	return calls, err
}

func (l *callLog) add(file *os.File, row callRow) error {
	if err := l.file.add(file, row, buffered); err != nil {
		return err
	}
	l.apply(row)
	return nil
}

func (l *callLog) fold(text []byte) error {
	var row callRow
	if err := json.Unmarshal(text, &row); err != nil {
		return err
	}
	l.apply(row)
	return nil
}

func (l *callLog) apply(row callRow) {
	call := row.Call
	if begun, ok := l.byKey[row.Key]; ok {
		call.Request = begun.Request
		*begun = call
		delete(l.byKey, row.Key)
		return
	}
	l.begun = append(l.begun, &call)
	l.byKey[row.Key] = &call
	l.counts[countKey{call.Method, call.Name, call.Preview}]++
}
