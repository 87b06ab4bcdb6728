package form

import "example.com/livery/intake/model"

// readStudioFolder reads the files of a folder that Tokens Studio wrote as one document.
func readStudioFolder(folder string, files []*model.File, o Options) (*model.Document, error) {
	return nil, nil
}
