package respond

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/guard"
)

// The refusals. A 404 may be kept as long as it is asked about again each time; a 403 may not.
var (
	NotFound     = guard.NewProblem(fasthttp.StatusNotFound, "notFound", "", "no-cache")
	Forbidden    = guard.NewProblem(fasthttp.StatusForbidden, "forbidden", "", "no-store")
	NotAllowed   = guard.NewProblem(fasthttp.StatusMethodNotAllowed, "payload", "only GET, HEAD and OPTIONS are answered here", "no-store")
	NotMatched   = guard.NewProblem(fasthttp.StatusPreconditionFailed, "conflict", "If-Match does not hold", "no-store")
	OutOfRange   = guard.NewProblem(fasthttp.StatusRequestedRangeNotSatisfiable, "payload", "the range lies outside the file", "no-store")
	Internal     = guard.NewProblem(fasthttp.StatusInternalServerError, "internal", "", "no-store")
	UpstreamAway = guard.NewProblem(fasthttp.StatusServiceUnavailable, "internal", "", "no-store")
)
