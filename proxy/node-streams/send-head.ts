/**
 * `ServerResponse.flushHeaders` writes a head as UTF-8, so that a byte beyond ASCII in a header becomes two (verified
 * on Node 26.10.0). An empty write in latin1 sends the head byte for byte.
 */
import type { ServerResponse } from 'node:http'

/** Sends the head of a response before any of its body. */
export const sendHead = (outgoing: ServerResponse) => {
  outgoing.write('', 'latin1')
}
