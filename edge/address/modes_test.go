package address

import (
	"net/url"
	"strings"
	"testing"
)

// Modes are percent-decoded once. Nothing else that may mean them is an address, and never that of the file without modes.
func TestModesAreDecodedOnce(t *testing.T) {
	const css = "/" + env + "/" + thm + "/-/latest/tokens.css"
	long := strings.Repeat("a", maxModeName)
	for query, want := range map[string]string{ // "": not an address; "-": the file without modes
		"modes=scheme":                           "scheme",
		"modes=scheme.dark":                      "scheme.dark",
		"modes=scheme,contrast":                  "scheme,contrast",
		"modes=scheme.dark,contrast.more":        "scheme.dark,contrast.more",
		"modes=a,b,c,d":                          "a,b,c,d",
		"modes=scheme~light-dark":                "scheme~light-dark",
		"modes=scheme~light-dark,contrast":       "scheme~light-dark,contrast",
		"modes=scheme~light-dark,scheme":         "",
		"modes=scheme,scheme~light-dark":         "",
		"modes=scheme~light-dark,contrast.more":  "",
		"modes=contrast.more,scheme~light-dark":  "",
		"modes=scheme.dark~light-dark":           "",
		"modes=scheme~light-dark.dark":           "",
		"modes=scheme~dark-light":                "",
		"modes=scheme~":                          "",
		"modes=~light-dark":                      "",
		"modes=scheme~light-dark~light-dark":     "",
		"modes=scheme%7Elight-dark":              "scheme~light-dark",
		"modes=scheme%7elight-dark":              "scheme~light-dark",
		"modes=scheme%2Ccontrast":                "scheme,contrast",
		"modes=scheme%2ccontrast&Expires=1":      "scheme,contrast",
		"modes=%73cheme.dark%2Ccontrast%2emore":  "scheme.dark,contrast.more",
		"modes=scheme%252Ccontrast":              "",
		"modes=scheme%25":                        "",
		"modes=scheme%2":                         "",
		"modes=scheme%":                          "",
		"modes=scheme%2G":                        "",
		"modes=scheme%20":                        "",
		"modes=scheme%00":                        "",
		"modes=scheme%26v%3D1":                   "",
		"modes=scheme%2Cscheme":                  "",
		"modes=scheme%2Fcontrast":                "",
		"modes=%53cheme":                         "",
		"modes=%":                                "",
		"modes=a%2Cb%2Cc%2Cd%2Ce":                "",
		"modes=scheme+":                          "",
		"modes=a-1.b-2":                          "a-1.b-2",
		"modes=latest":                           "latest",
		"modes=" + long + "." + long:             long + "." + long,
		"modes=scheme.dark&v=1":                  "scheme.dark",
		"modes=scheme.dark&Expires=1&KeyName=k":  "scheme.dark",
		"":                                       "-",
		"v=1":                                    "-",
		"mode=dark":                              "-",
		"modest=1":                               "-",
		"v=modes":                                "-",
		"v=1&w=modes=scheme":                     "-",
		"modes":                                  "",
		"modes=":                                 "",
		"modes=&v=1":                             "",
		"modes=scheme.dark,":                     "",
		"modes=,scheme.dark":                     "",
		"modes=scheme.":                          "",
		"modes=.dark":                            "",
		"modes=scheme.dark.more":                 "",
		"modes=scheme.dark,contrast":             "",
		"modes=scheme,contrast.more":             "",
		"modes=scheme.dark,scheme.light":         "",
		"modes=scheme,touch,scheme":              "",
		"modes=a,b,c,d,e":                        "",
		"modes=Scheme.dark":                      "",
		"modes=scheme.Dark":                      "",
		"modes=1scheme.dark":                     "",
		"modes=scheme.1":                         "",
		"modes=-a":                               "",
		"modes=a_b":                              "",
		"modes=a" + long:                         "",
		"modes=scheme.a" + long:                  "",
		"modes=scheme%2Edark":                    "scheme.dark",
		"modes=scheme.dark%2Ccontrast.more":      "scheme.dark,contrast.more",
		"modes=scheme+dark":                      "",
		"modes=scheme.dark;v=1":                  "",
		"modes=scheme.dark#x":                    "",
		"modes=scheme.dark/../x":                 "",
		"modes=scheme.dark\r\nX-Evil: 1":         "",
		"modes=scheme.dark\"":                    "",
		"modes=scheme.dark\x00":                  "",
		"modes=sch\u00e9me":                      "",
		"modes=scheme.dark&modes=scheme.light":   "",
		"modes=scheme.dark&v=1&modes=scheme":     "",
		"v=1&modes=scheme.dark":                  "",
		"&modes=scheme.dark":                     "",
		"Modes=scheme.dark":                      "",
		"MODES=scheme.dark":                      "",
		"%6Dodes=scheme.dark":                    "",
		"mode%53=scheme.dark":                    "",
		"v=1&%6d%6f%64%65%73=scheme.dark":        "",
		"Expires=1&KeyName=k&Signature=x&modes=": "",
		"modes%3Dscheme.dark":                    "",
	} {
		a, ok := Parse([]byte(css), []byte(query), nil)
		if !ok {
			a = Address{}
		}
		switch {
		case want == "" && ok, want != "" && !ok, want != "" && want != "-" && string(a.Modes) != want, want == "-" && a.Modes != nil:
			t.Errorf("%q: ok = %t, modes %q, want %q", query, ok, a.Modes, want)
		case want == "-" && string(a.Query) != query:
			t.Errorf("%q: the query of a file without modes is %q", query, a.Query)
		case want != "" && want != "-" && string(a.Key) != env+"/"+thm+"/-/latest/"+want:
			t.Errorf("%q: the key is %q", query, a.Key)
		}
	}
}

// What follows the modes is what signs the address.
func TestTheQueryBehindModesIsKept(t *testing.T) {
	a, ok := Parse([]byte("/"+env+"/"+thm+"/-/3/tokens.json"), []byte("modes=scheme.dark&Expires=1&KeyName=k"), nil)
	if !ok || string(a.Query) != "Expires=1&KeyName=k" || a.Version != 3 {
		t.Errorf("Parse = %q, %d, %t", a.Query, a.Version, ok)
	}
}

// The conditional style sheet is one file, a combination of single modes all.
func TestDimensionsAreOfTheStyleSheet(t *testing.T) {
	for _, file := range []string{"tokens.css", "tokens.json", "tokens.flat.json", "tokens.values.json", "tokens.dtcg.json"} {
		path := []byte("/" + env + "/" + thm + "/" + variant + "/7/" + file)
		if _, ok := Parse(path, []byte("modes=scheme"), nil); ok != (file == "tokens.css") {
			t.Errorf("%s of a dimension: ok = %t", file, ok)
		}
		if _, ok := Parse(path, []byte("modes=scheme.dark"), nil); !ok {
			t.Errorf("%s of a mode is not an address", file)
		}
	}
}

// The key of a pair is read as it was written, in the room that was given.
func TestKeysWithModesAreRead(t *testing.T) {
	room := make([]byte, 0, MaxKeyBytes)
	long := strings.Repeat("a", maxModeName-1)
	var modes []string
	for _, first := range "abcd" {
		modes = append(modes, string(first)+long+".m"+long)
	}
	var a Address
	path := []byte("/" + env + "/" + thm + "/" + variant + "/4294967295/tokens.css")
	for _, comma := range []string{",", "%2C"} {
		query, ok := []byte("modes="+strings.Join(modes, comma)), false
		if a, ok = Parse(path, query, room); !ok || len(a.Key) != MaxKeyBytes || &a.Key[0] != &room[:1][0] {
			t.Fatalf("Parse = %q of %d bytes, %t, want %d in the room", a.Key, len(a.Key), ok, MaxKeyBytes)
		}
		if n := testing.AllocsPerRun(100, func() { Parse(path, query, room) }); n != 0 {
			t.Errorf("Parse of %s allocates %v times", query, n)
		}
	}
	read, ok := ParsePair(a.Key)
	if !ok || string(read.Modes) != strings.Join(modes, ",") || read.Version != 4294967295 || string(read.Key) != string(a.Key) {
		t.Errorf("ParsePair = %+v, %t", read, ok)
	}
	for _, key := range []string{"/-/latest/", "/-/latest/scheme.dark/", "/-/latest/scheme.dark/x", "/-/latest/%", "/-/scheme.dark", "/-/0/scheme.dark", "//latest/scheme.dark"} {
		if _, ok := ParsePair([]byte(env + "/" + thm + key)); ok {
			t.Errorf("ParsePair(%q) takes it for a key", key)
		}
	}
}

// An address with modes is what its decoded query says, and nothing in the modes can leave its place in a header.
func FuzzParseModes(f *testing.F) {
	f.Add("modes=scheme.dark,contrast.more&Expires=1")
	f.Add("modes=scheme,contrast")
	f.Add("modes=scheme%2Ccontrast")
	f.Add("v=1&%6dodes=x")
	const path = "/" + env + "/" + thm + "/-/latest/tokens.css"
	f.Fuzz(func(t *testing.T, query string) {
		a, ok := Parse([]byte(path), []byte(query), nil)
		if !ok {
			return
		}
		if len(a.Modes) == 0 {
			if string(a.Query) != query || strings.Contains(strings.ToLower("&"+query), "&modes=") {
				t.Errorf("Parse(%q) = the file without modes, query %q", query, a.Query)
			}
			return
		}
		sent, rest, _ := strings.Cut(query, "&")
		if modes, err := url.PathUnescape(sent); err != nil || modes != "modes="+string(a.Modes) || rest != string(a.Query) {
			t.Errorf("Parse(%q) = modes %q, query %q", query, a.Modes, a.Query)
		}
		if strings.Trim(string(a.Modes), "abcdefghijklmnopqrstuvwxyz0123456789-.,~") != "" {
			t.Errorf("Parse(%q) takes the modes %q", query, a.Modes)
		}
		if p, ok := ParsePair(a.Key); !ok || string(p.Modes) != string(a.Modes) {
			t.Errorf("the key %q of %q cannot be read", a.Key, query)
		}
	})
}
