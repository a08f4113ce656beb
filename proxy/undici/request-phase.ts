/**
 * How far a forwarded request has come.
 *
 * - `awaiting-connection`: in the queue of its lane, or undici connects.
 * - `sending-body`: a streamed body is on its way; a slow client has its own deadline.
 * - `awaiting-head`: the request is sent. Without a body it can be sent once more, as the core has sent no byte back.
 * - `receiving-head`: the core has sent bytes back, but not a complete final head.
 * - `streaming`: the response head is written to the client; a failure from here on can only truncate the response.
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
  // Back to the connection for the one retry; directly to streaming if bytes arrived while the body was sent.
  'awaiting-head': ['awaiting-connection', 'receiving-head', 'streaming', 'ended'],
  'receiving-head': ['streaming', 'ended'],
  streaming: ['ended'],
  ended: [],
}

/**
 * The next phase of a request.
 * @throws Error on a transition that is not in the table: a bug of the proxy, never a fault of the core.
 */
export const enterPhase = (current: RequestPhase, next: RequestPhase): RequestPhase => {
  if (!successors[current].includes(next)) {
    throw new Error(`a forwarded request cannot change from ${current} to ${next}`)
  }
  return next
}
