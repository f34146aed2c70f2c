// Command size holds Go files and functions to the house limits: it prints what deserves a question and fails
// on what is past the stop mark. Generated files and testdata are skipped.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	report, err := survey(os.DirFS(root), limits{
		fileQuestion: 400, fileStop: 600,
		funcQuestion: 80, funcStop: 120,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(2)
	}
	for _, f := range report {
		fmt.Println(f)
	}
	if n := stops(report); n > 0 {
		fmt.Fprintf(os.Stderr, "size: %d past the limit; split by concept, one per file or function\n", n)
		os.Exit(1)
	}
}

// survey walks every Go file below root, in path order.
func survey(root fs.FS, l limits) ([]finding, error) {
	var report []finding
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		source, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		found, err := measure(path, source, l)
		report = append(report, found...)
		return err
	})
	return report, err
}

func skipped(dir string) bool {
	switch dir {
	case ".git", ".cache", "testdata", "node_modules", "bin":
		return true
	}
	return false
}
