package diy

import (
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cairn-iac/cairn/internal/backend"
)

const (
	bookkeepingDir = ".pulumi"
	attrsExt       = ".attrs"
	jsonExt        = ".json"
	gzipExt        = ".gz"
	zstdExt        = ".zst"
	backupExt      = ".bak"
	journalExt     = ".journal"
	tagsExt        = ".pulumi-tags"

	historySuffix    = ".history.json"
	checkpointSuffix = ".checkpoint.json"

	tempInfix       = ".cairn-"
	tempRandomBytes = 8
)

// layout knows where everything is below the root folder.
type layout struct {
	root string
}

func (l layout) meta() string { return filepath.Join(l.root, bookkeepingDir, "meta.yaml") }

func (l layout) stacksDir() string { return filepath.Join(l.root, bookkeepingDir, "stacks") }

func (l layout) projectDir(project string) string { return filepath.Join(l.stacksDir(), project) }

func (l layout) stackBase(ref backend.StackRef) string {
	return filepath.Join(l.projectDir(ref.Project), ref.Name)
}

func (l layout) checkpoint(ref backend.StackRef) string { return l.stackBase(ref) + jsonExt }

func (l layout) journal(ref backend.StackRef) string { return l.stackBase(ref) + journalExt }

func (l layout) tags(ref backend.StackRef) string { return l.stackBase(ref) + tagsExt }

func (l layout) historyDir(ref backend.StackRef) string {
	return filepath.Join(l.root, bookkeepingDir, "history", ref.Project, ref.Name)
}

func (l layout) backupDir(ref backend.StackRef) string {
	return filepath.Join(l.root, bookkeepingDir, "backups", ref.Project, ref.Name)
}

// lockKey is the lock folder as a slash path below the root, as it appears in URLs.
func lockKey(ref backend.StackRef) string {
	return bookkeepingDir + "/locks/" + ref.String()
}

func (l layout) lockDir(ref backend.StackRef) string {
	return filepath.Join(l.root, filepath.FromSlash(lockKey(ref)))
}

// historyPrefix is the common part of the two history files of an update that ended at the time nanos.
func (l layout) historyPrefix(ref backend.StackRef, nanos int64) string {
	return filepath.Join(l.historyDir(ref), ref.Name+"-"+strconv.FormatInt(nanos, 10))
}

func (l layout) backup(ref backend.StackRef, nanos int64) string {
	return filepath.Join(l.backupDir(ref), ref.Name+"."+strconv.FormatInt(nanos, 10)+jsonExt)
}

// tempName is a file name that no listing shows. owner is the stack the file belongs to.
func tempName(owner, random string) string { return "." + owner + tempInfix + random + attrsExt }

// isTemp says whether name is a temporary file of owner.
func isTemp(name, owner string) bool {
	random, ok := strings.CutPrefix(name, "."+owner+tempInfix)
	if !ok {
		return false
	}
	random, ok = strings.CutSuffix(random, attrsExt)
	raw, err := hex.DecodeString(random)
	return ok && err == nil && len(raw) == tempRandomBytes
}

// hidden says whether a listing must pass over name.
func hidden(name string) bool { return strings.HasSuffix(name, attrsExt) }

// stackName gives the stack whose checkpoint has the file name; "" for other files.
func stackName(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, gzipExt), zstdExt)
	stack, ok := strings.CutSuffix(name, jsonExt)
	if !ok {
		return ""
	}
	return stack
}
