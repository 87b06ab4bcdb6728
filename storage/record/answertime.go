package record

import (
	"time"

	"github.com/go-json-experiment/json"
)

// TimeFormat is how answers spell times: always with three digits of a second, so that they sort as text.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// AnswerTimes is an option of json.Marshal that writes times by TimeFormat.
var AnswerTimes = json.WithMarshalers(json.MarshalFunc(func(t time.Time) ([]byte, error) {
	return t.AppendFormat(nil, `"`+TimeFormat+`"`), nil
}))
