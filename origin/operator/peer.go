package operator

import (
	"net"
	"os/user"
	"strconv"

	"example.com/livery/storage/record"
)

// peerListener hands out connections that know whose they are.
type peerListener struct{ net.Listener }

// Accept returns the next connection with the process at its other end, as far as the system says.
func (l peerListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	p := &peerConn{Conn: c, peer: record.Actor{Kind: KindOperator}}
	if uid, pid, ok := credentials(c); ok {
		p.peer.UID, p.peer.PID = &uid, pid
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			p.peer.Login = u.Username
		}
	}
	return p, nil
}

// peerConn is a connection of the operator socket.
type peerConn struct {
	net.Conn
	peer record.Actor
}

// CloseWrite ends the writing half, if the connection can.
func (c *peerConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// PeerOf returns who is at the other end of a connection that a listener of Listen accepted, whatever
// was laid over it since, and an operator of whom nothing is known for any other.
func PeerOf(c net.Conn) record.Actor {
	for c != nil {
		if p, ok := c.(*peerConn); ok {
			return p.peer
		}
		over, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		c = over.NetConn()
	}
	return record.Actor{Kind: KindOperator}
}
