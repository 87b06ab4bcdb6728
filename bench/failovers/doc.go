// Package failovers measures what a lost primary costs: writers commit on three PostgreSQL nodes of which
// two must have every commit, the primary is killed with kill -9, a standby is promoted at once, and the
// dead node joins again. Of each round it notes the longest gap between two acknowledgements, what callers
// were shown, and what was lost. The nodes are of this machine's installation and share its processor and disk.
// The arguments of the part follow "-args --": go test ./bench/failovers -args -- -h lists them.
package failovers
