import type { Socket } from 'node:net'

/** How long an answer that is on its way may take once the core takes no more of the request. */
const graceMs = 250

type Written = (error?: Error | null) => void

const patient =
  (written: Written): Written =>
  (error) => {
    if (error) setTimeout(written, graceMs, error).unref()
    else written()
  }

/**
 * A core that refuses a body early answers and closes, and the next write to it fails. Node would give the socket up
 * there and then, and with it the answer that lies in it unread; so a write's failure is told a little later.
 */
export const delayWriteErrors = (socket: Socket) => {
  const { _write: write, _writev: writeAll } = socket
  socket._write = function writePatiently(chunk, encoding, written) {
    write.call(this, chunk, encoding, patient(written))
  }
  if (writeAll)
    socket._writev = function writeAllPatiently(chunks, written) {
      writeAll.call(this, chunks, patient(written))
    }
}
