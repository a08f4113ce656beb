/**
 * How far a forwarded request has come.
 *
 * - `awaiting-connection`: in its lane's queue, or undici is connecting.
 * - `sending-body`: a streamed body is on its way. A slow client has its own deadline.
 * - `awaiting-head`: sent. Without a body it can be sent once more, because the core has returned nothing yet.
 * - `receiving-head`: the core has sent bytes, but not a complete final head.
 * - `streaming`: the client has the response head. From here on, a failure can only truncate the response.
 * - `ended`: the outcome is reported. undici may still call back, and its last call frees the slot in the lane.
 */
export type RequestPhase =
  | 'awaiting-connection'
  | 'sending-body'
  | 'awaiting-head'
  | 'receiving-head'
  | 'streaming'
  | 'ended'

const successors: Readonly<Record<RequestPhase, readonly RequestPhase[]>> = {
  'awaiting-connection': ['sending-body', 'awaiting-head', 'ended'],
  // A core may respond before it has read the body.
  'sending-body': ['awaiting-head', 'streaming', 'ended'],
  // Back to the connection for the one retry; straight to streaming if bytes arrived while the body was sent.
  'awaiting-head': ['awaiting-connection', 'receiving-head', 'streaming', 'ended'],
  'receiving-head': ['streaming', 'ended'],
  streaming: ['ended'],
  ended: [],
}

/** @throws Error on a transition missing from the table: a bug in the proxy, never the core's fault. */
export const enterPhase = (current: RequestPhase, next: RequestPhase): RequestPhase => {
  if (!successors[current].includes(next)) {
    throw new Error(`a forwarded request cannot change from ${current} to ${next}`)
  }
  return next
}
