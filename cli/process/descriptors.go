package process

// Descriptors says how many file descriptors the parts of a server may have, so that none takes what another needs.
type Descriptors struct {
	Clients int // connections of the public API, or of clients of the files
	Edges   int // connections of the feed
	Private int // connections of the operations listener, and of each socket of the operator
	Tables  int // files of the store
}

// ShareDescriptors divides the descriptors that the process may have among its servers. Go raises the soft limit to the
// hard one at the start. What is left is for upstreams, webhooks and all else.
func ShareDescriptors(servers int) Descriptors { return share(descriptorLimit() / servers) }

func share(n int) Descriptors {
	return Descriptors{Clients: n / 2, Edges: n / 8, Private: max(4, n/32), Tables: n / 8}
}

// mostDescriptors stands for a limit that is higher, or none.
const mostDescriptors = 1 << 20
