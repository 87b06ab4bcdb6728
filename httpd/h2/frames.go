package h2

import (
	"encoding/binary"

	"example.com/livery/httpd/guard"
)

// The frames, flags, settings and errors of RFC 9113 sections 6 and 7.
const (
	frameData         = 0x0
	frameHeaders      = 0x1
	framePriority     = 0x2
	frameReset        = 0x3
	frameSettings     = 0x4
	framePush         = 0x5
	framePing         = 0x6
	frameGoAway       = 0x7
	frameWindowUpdate = 0x8
	frameContinuation = 0x9

	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20

	settingTableBytes = 0x1
	settingPush       = 0x2
	settingMaxStreams = 0x3
	settingWindow     = 0x4
	settingFrameBytes = 0x5
	settingHeadBytes  = 0x6

	headerBytes  = 9 // of a frame, before its payload
	longestFixed = 8 // bytes of the payloads that have one length
	mostWindow   = 1<<31 - 1
)

// errorCode says why a stream or a connection ends.
type errorCode uint32

const (
	errNone     errorCode = 0x0
	errProtocol errorCode = 0x1
	errFlow     errorCode = 0x3
	errClosed   errorCode = 0x5
	errSize     errorCode = 0x6
	errRefused  errorCode = 0x7
	errCancel   errorCode = 0x8
	errHead     errorCode = 0x9
	errCalm     errorCode = 0xb
)

// frameHeader is what a frame begins with (RFC 9113 section 4.1).
type frameHeader struct {
	length      int
	kind, flags byte
	stream      uint32
	loop        bool // its priority says that the stream depends on itself
}

func headerOf(b []byte) frameHeader {
	return frameHeader{
		length: int(b[0])<<16 | int(b[1])<<8 | int(b[2]), kind: b[3], flags: b[4], stream: binary.BigEndian.Uint32(b[5:]) & mostWindow,
	}
}

func appendFrameHeader(dst []byte, length int, kind, flags byte, stream uint32) []byte {
	return append(dst, byte(length>>16), byte(length>>8), byte(length), kind, flags, byte(stream>>24), byte(stream>>16), byte(stream>>8), byte(stream))
}

func appendFrame(dst []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	return append(appendFrameHeader(dst, len(payload), kind, flags, stream), payload...)
}

func appendReset(dst []byte, stream uint32, code errorCode) []byte {
	return binary.BigEndian.AppendUint32(appendFrameHeader(dst, 4, frameReset, 0, stream), uint32(code))
}

func appendGoAway(dst []byte, last uint32, code errorCode) []byte {
	dst = binary.BigEndian.AppendUint32(appendFrameHeader(dst, 8, frameGoAway, 0, 0), last)
	return binary.BigEndian.AppendUint32(dst, uint32(code))
}

// frame processes one frame. Of DATA, GOAWAY and frames that are not known, payload has the beginning alone.
func (c *conn) frame(h frameHeader, payload []byte) {
	c.skip = h.length - len(payload)
	switch {
	case h.length > maxFrame:
		c.fail(errSize)
	case c.phase == awaitsSettings && (h.kind != frameSettings || h.flags&flagAck != 0):
		c.fail(errProtocol)
	case c.block != nil && (h.kind != frameContinuation || h.stream != c.blockOf.stream):
		c.fail(errProtocol) // RFC 9113 section 6.10
	case h.kind == frameHeaders:
		c.headers(h, payload)
	case h.kind == frameContinuation:
		c.continuation(h, payload)
	case h.kind == frameData:
		c.data(h, payload)
	case h.kind == frameWindowUpdate:
		c.windowUpdate(h, payload)
	case c.counted():
		c.controlFrame(h, payload)
	}
}

// controlFrame processes a frame that asks for no file.
func (c *conn) controlFrame(h frameHeader, payload []byte) {
	switch h.kind {
	case frameSettings:
		c.settings(h, payload)
	case framePing:
		switch {
		case h.stream != 0:
			c.fail(errProtocol)
		case h.length != 8:
			c.fail(errSize)
		case h.flags&flagAck == 0:
			c.out = appendFrame(c.out, framePing, flagAck, 0, payload)
		}
	case frameReset:
		c.resetByClient(h)
	case framePriority:
		c.priority(h, payload)
	case framePush:
		c.fail(errProtocol)
	case frameGoAway:
		switch {
		case h.stream != 0:
			c.fail(errProtocol)
		case h.length < 8:
			c.fail(errSize)
		case c.ending < draining: // the client may still send what asks for nothing: closed at once, it would see a reset
			c.ending, c.endedAt = draining, c.now
		}
	}
}

// isIdle reports whether no stream of that id was ever open. Even ids are those of streams that a server opens (RFC 9113
// section 5.1.1); this one opens none.
func (c *conn) isIdle(id uint32) bool { return id > c.last || id%2 == 0 }

// resetByClient ends a stream that the client does not want any more.
func (c *conn) resetByClient(h frameHeader) {
	switch {
	case h.length != 4:
		c.fail(errSize)
	case c.isIdle(h.stream):
		c.fail(errProtocol)
	default:
		if st := find(c.streams, h.stream); st != nil {
			c.drop(st)
		}
	}
}

// priority ignores the priorities of RFC 7540, but for what cannot be.
func (c *conn) priority(h frameHeader, payload []byte) {
	switch {
	case h.stream == 0:
		c.fail(errProtocol)
	case h.length != 5:
		c.reset(h.stream, find(c.streams, h.stream), errSize)
	case dependsOnItself(h.stream, payload):
		c.reset(h.stream, find(c.streams, h.stream), errProtocol)
	}
}

// dependsOnItself reports whether the priority says so (RFC 7540 section 5.3.1).
func dependsOnItself(stream uint32, priority []byte) bool {
	return binary.BigEndian.Uint32(priority)&mostWindow == stream
}

// settings processes the client's settings (RFC 9113 section 6.5).
func (c *conn) settings(h frameHeader, payload []byte) {
	switch {
	case h.stream != 0:
		c.fail(errProtocol)
		return
	case h.length%6 != 0 || h.flags&flagAck != 0 && h.length != 0:
		c.fail(errSize)
		return
	case h.flags&flagAck != 0:
		return
	}
	for ; len(payload) > 0; payload = payload[6:] {
		if code := c.set(binary.BigEndian.Uint16(payload), binary.BigEndian.Uint32(payload[2:])); code != errNone {
			c.fail(code)
			return
		}
	}
	c.phase = serving
	if c.idle.IsZero() {
		c.idle = c.now
	}
	c.out = appendFrameHeader(c.out, 0, frameSettings, flagAck, 0)
}

// set applies one setting.
func (c *conn) set(id uint16, value uint32) errorCode {
	switch id {
	case settingTableBytes:
		c.resized = true
	case settingPush:
		if value > 1 {
			return errProtocol
		}
	case settingWindow:
		if value > mostWindow {
			return errFlow
		}
		more := int64(value) - c.firstWindow
		c.firstWindow = int64(value)
		for _, st := range c.streams {
			if st.window += more; st.window > mostWindow {
				return errFlow
			}
		}
	case settingFrameBytes:
		if value < maxFrame || value > 1<<24-1 {
			return errProtocol
		}
	}
	return errNone
}

// windowUpdate lets the client take more.
func (c *conn) windowUpdate(h frameHeader, payload []byte) {
	if h.length != 4 {
		c.fail(errSize)
		return
	}
	more := int64(binary.BigEndian.Uint32(payload) & mostWindow)
	if h.stream == 0 {
		if c.sendWindow += more; more == 0 {
			c.fail(errProtocol)
		} else if c.sendWindow > mostWindow {
			c.fail(errFlow)
		}
		return
	}
	st := find(c.streams, h.stream)
	switch {
	case c.isIdle(h.stream):
		c.fail(errProtocol)
	case more == 0:
		c.reset(h.stream, st, errProtocol)
	case st == nil: // it has ended
	default:
		if st.window += more; st.window > mostWindow {
			c.reset(h.stream, st, errFlow)
		}
	}
}

// checkPadding returns the error of a padded frame whose payload of some length begins with start (RFC 9113 sections 4.2
// and 6.1).
func checkPadding(length int, start []byte) errorCode {
	switch {
	case length == 0:
		return errSize // it lacks the length of the padding
	case int(start[0]) >= length:
		return errProtocol
	}
	return errNone
}

// data drops a part of a request's body (RFC 9113 section 6.1).
func (c *conn) data(h frameHeader, start []byte) {
	body, padding := h.length, 0
	if h.flags&flagPadded != 0 {
		if code := checkPadding(h.length, start); code != errNone {
			c.fail(code)
			return
		}
		padding = int(start[0])
		body -= 1 + padding
	}
	st := find(c.streams, h.stream)
	switch c.window -= h.length; {
	case c.isIdle(h.stream):
		c.fail(errProtocol)
		return
	case c.window < 0:
		c.fail(errFlow)
		return
	case h.length == 0 && h.flags&flagEndStream == 0 && !c.counted():
		return
	case st == nil || !st.halfOpen:
		c.reset(h.stream, st, errClosed)
	case st.state == receiving:
		if st.got += int64(body); st.got > int64(c.server.config.Limits.Body) {
			c.refuse(st, guard.BodyTooLarge, st.ctx.IsHead())
		}
	}
	if c.window < connWindow/2 {
		c.out = binary.BigEndian.AppendUint32(appendFrameHeader(c.out, 4, frameWindowUpdate, 0, 0), uint32(connWindow-c.window))
		c.window = connWindow
	}
	if h.flags&flagEndStream != 0 {
		id := h.stream
		c.skipped = func() { c.bodyEnded(id) }
	}
	c.skippedAll()
}
