package respond

import (
	"testing"
	"time"
)

// Age is rounded up, but for a tenth of a second.
func TestAgeIsRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0", 0: "0", 99 * time.Millisecond: "0", 100 * time.Millisecond: "1", time.Second: "1", 1500 * time.Millisecond: "2", time.Hour: "3600",
	} {
		if got := string(appendAge(nil, d)); got != want {
			t.Errorf("the age of %v is %s, want %s", d, got, want)
		}
	}
}
