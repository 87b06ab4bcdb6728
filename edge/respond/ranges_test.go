package respond

import "testing"

func TestRangesAreRead(t *testing.T) { // A89
	for _, tt := range []struct {
		field              string
		want               span
		asked, satisfiable bool
	}{
		{"bytes=0-99", span{0, 100}, true, true},
		{"bytes=0-0", span{0, 1}, true, true},
		{"bytes=999-", span{999, 1000}, true, true},
		{"bytes=100-5000", span{100, 1000}, true, true},
		{"bytes=0-99999999999999999999", span{0, 1000}, true, true},
		{"bytes=-10", span{990, 1000}, true, true},
		{"bytes=-5000", span{0, 1000}, true, true},
		{"bytes=1000-", span{1000, 1000}, true, false},
		{"bytes=5000-6000", span{5000, 1000}, true, false},
		{"bytes=-0", span{1000, 1000}, true, false},
		{"bytes=5-4", span{}, false, false},
		{"bytes=-", span{}, false, false},
		{"bytes=", span{}, false, false},
		{"bytes=a-b", span{}, false, false},
		{"bytes=+1-2", span{}, false, false},
		{"bytes=0-1,5-6", span{}, false, false},
		{"lines=0-1", span{}, false, false},
	} {
		got, asked, satisfiable := parseRange([]byte(tt.field), 1000)
		if asked != tt.asked || asked && (got != tt.want || satisfiable != tt.satisfiable) {
			t.Errorf("parseRange(%q) = %v, %t, %t, want %v, %t, %t", tt.field, got, asked, satisfiable, tt.want, tt.asked, tt.satisfiable)
		}
	}
}
