package loop

import (
	"bytes"
	"net/http"
	"time"
)

// dateLine is the Date header of the current second.
type dateLine struct {
	second int64
	line   []byte
}

// set makes the line that of now.
func (d *dateLine) set(now time.Time) {
	if second := now.Unix(); second != d.second || d.line == nil {
		d.second = second
		d.line = now.UTC().AppendFormat(append(d.line[:0], "Date: "...), http.TimeFormat)
		d.line = append(d.line, "\r\n"...)
	}
}

// maxHeadExtra is what appendHead adds to a head at most.
const maxHeadExtra = 128

// appendHead appends a whole head: the date behind the status line, how the connection goes on behind
// the last line, the empty line.
func appendHead(dst, head []byte, date *dateLine, closing bool) []byte {
	status := bytes.IndexByte(head, '\n') + 1
	dst = append(dst, head[:status]...)
	dst = append(dst, date.line...)
	dst = append(dst, head[status:]...)
	if closing {
		dst = append(dst, "Connection: close\r\n"...)
	}
	return append(dst, "\r\n"...)
}
