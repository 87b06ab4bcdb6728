package abi

// Status is the outcome of a call. The zero value is success.
type Status uint32

// The outcomes. Their numbers are part of the contract and never change.
const (
	StatusOK           Status = iota
	StatusBadTheme            // the Theme document is not a JSON object
	StatusBadOverrides        // the overrides are not a JSON object
	StatusBadFile             // the module knows no file of that number
	StatusBadInput            // the lengths do not fit the input buffer
	StatusBadPlan             // the plan is damaged, or of another format
	StatusBadOverlay          // the overlay is damaged, or of another format
	StatusOtherPlan           // the overlay was compiled for another plan
	StatusBadSlot             // the slot does not exist, or nothing is open in it
	StatusTooLarge            // a plan or a file would pass its limit
	StatusBadKind             // compile makes nothing of that kind
)

var statusTexts = [...]string{
	StatusOK:           "done",
	StatusBadTheme:     "the theme document is not valid",
	StatusBadOverrides: "the overrides are not valid",
	StatusBadFile:      "the module does not know the file",
	StatusBadInput:     "the input does not fit the input buffer",
	StatusBadPlan:      "the plan is damaged or of another format",
	StatusBadOverlay:   "the overlay is damaged or of another format",
	StatusOtherPlan:    "the overlay was compiled for another plan",
	StatusBadSlot:      "the slot does not exist or holds no open plan",
	StatusTooLarge:     "the plan or the file passes the limit on its size",
	StatusBadKind:      "the module does not know the kind",
}

// String names the status the way error messages spell it.
func (s Status) String() string {
	if uint64(s) < uint64(len(statusTexts)) {
		return statusTexts[s]
	}
	return "an unknown status"
}
