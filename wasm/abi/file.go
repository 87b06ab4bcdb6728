package abi

// File is the number of a served file. The zero value is tokens.css.
type File uint8

// The served files. Their numbers are part of the contract and never change.
const (
	TokensCSS File = iota
	TokensValuesJSON
	TokensDTCGJSON
	TokensJSON
	TokensFlatJSON
)

// FileCount is the number of served files; every File is below it.
const FileCount = 5

var fileNames = [FileCount]string{"tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}

// Name returns the name that f is served under, or "" if f is not a file.
func (f File) Name() string {
	if int(f) < len(fileNames) {
		return fileNames[f]
	}
	return ""
}

// FileByName returns the file served under name; ok is false if there is none.
func FileByName(name string) (f File, ok bool) {
	for i := range fileNames {
		if fileNames[i] == name {
			return File(i), true
		}
	}
	return 0, false
}
