/**
 * Node destroys a socket as soon as a write to it fails, and discards what the socket has received and not read yet
 * (verified on Node 26.10.0). A core that rejects a body early responds and closes, so the next write fails while its
 * response is still unread. Therefore a failed write is reported late.
 */
import type { Socket } from 'node:net'

/** How long a response may take that is on its way when the core no longer reads the request. */
const delayMs = 250

type WriteCallback = (error?: Error | null) => void

const delayError =
  (callback: WriteCallback): WriteCallback =>
  (error) => {
    if (error) setTimeout(callback, delayMs, error).unref()
    else callback()
  }

/** Lets a socket be read for a while after a write to it has failed. */
export const delayWriteErrors = (socket: Socket) => {
  const { _write: write, _writev: writeAll } = socket
  socket._write = function writeWithDelayedError(chunk, encoding, callback) {
    write.call(this, chunk, encoding, delayError(callback))
  }
  if (writeAll)
    socket._writev = function writeAllWithDelayedError(chunks, callback) {
      writeAll.call(this, chunks, delayError(callback))
    }
}
