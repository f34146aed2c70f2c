package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// limits are in lines; past question something is printed, past stop the program fails.
type limits struct {
	fileQuestion, fileStop int
	funcQuestion, funcStop int
}

// finding is one file or function longer than its question mark.
type finding struct {
	path  string
	line  int
	name  string // empty for the file itself
	lines int
	stop  bool
}

func (f finding) String() string {
	mark := "question"
	if f.stop {
		mark = "STOP"
	}
	name := "file"
	if f.name != "" {
		name = "func " + f.name
	}
	return fmt.Sprintf("%-8s %4d lines  %s:%d  %s", mark, f.lines, f.path, f.line, name)
}

func stops(report []finding) int {
	n := 0
	for _, f := range report {
		if f.stop {
			n++
		}
	}
	return n
}

// measure judges one source file. Generated files have no findings.
func measure(path string, source []byte, l limits) ([]finding, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	var out []finding
	if lines := bytes.Count(source, []byte("\n")); lines > l.fileQuestion {
		out = append(out, finding{path: path, line: 1, lines: lines, stop: lines > l.fileStop})
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		start := set.Position(fn.Pos()).Line
		if lines := set.Position(fn.End()).Line - start + 1; lines > l.funcQuestion {
			out = append(out, finding{path: path, line: start, name: fn.Name.Name, lines: lines, stop: lines > l.funcStop})
		}
	}
	return out, nil
}
