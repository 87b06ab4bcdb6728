package origin

import "net"

// NetConn returns the connection that is guarded.
func (c *guardedConn) NetConn() net.Conn { return c.Conn }
