package display_test
import ("testing";"os";"path/filepath";"strings";"fmt"
"github.com/cairn-iac/cairn/internal/display")
func TestZZ3(t *testing.T){
 os.MkdirAll("/tmp/g",0o755)
 files,_:=filepath.Glob("testdata/case/*.txtar")
 for _,f:=range files{
  sec:=readCase(t,f)
  s:=parseScript(t,phaseOf(t,sec["phase"]),sec["events"])
  b:="/tmp/g/"+strings.TrimSuffix(filepath.Base(f),".txtar")
  log:=s.view(t,"log",display.Options{Phase:s.phase})
  // provider events are internal
  os.WriteFile(b+".jsonl",[]byte(strings.ReplaceAll(log,`"ciphertext":"[secret]"`,`"plaintext":"\"[secret]\""`)),0o644)
  os.WriteFile(b+".meta",[]byte(fmt.Sprintf("%s %t %s",s.phase.Kind,s.phase.Preview,strings.TrimSpace(sec["options"]))),0o644)
  for _,v:=range []string{"progress","diff","details"}{
   o:=optionsOf(t,sec["options"]); o.Phase=s.phase
   os.WriteFile(b+"."+v+".our",[]byte(s.view(t,v,o)),0o644)
  }
 }
}
