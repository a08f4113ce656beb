import type { ServerResponse } from 'node:http'
import type { BodyBudget } from '../edge/body-budget.ts'
import type { RequestContext } from '../request/context.ts'
import type { BodyChunk } from '../request/response.ts'

type Client = Pick<RequestContext, 'clientAddress'>

// A shorter response costs little more than the error response in its place, and its connection has no other.
const smallBytes = 16_384

const byteLengthOf = (body: string | readonly BodyChunk[]) =>
  typeof body === 'string'
    ? Buffer.byteLength(body)
    : body.reduce((length, chunk) => length + chunk.length, 0)

/**
 * Whether the client may be sent a body in addition to what it has not read. The response to a write is always sent: its
 * effect has happened.
 */
export const mayBeSent = (
  budget: BodyBudget,
  method: string,
  body: string | readonly BodyChunk[],
  client: Client,
): boolean => {
  if (method !== 'GET' || (typeof body === 'string' && body.length <= smallBytes)) return true
  const bytes = byteLengthOf(body)
  return bytes <= smallBytes || budget.admits(bytes, client)
}

/** Counts what the client has not read of a response that was written, until it is sent or the connection is closed. */
export const countUnread = (budget: BodyBudget, outgoing: ServerResponse, client: Client) => {
  const bytes = outgoing.socket?.writableLength ?? 0
  if (bytes > 0) outgoing.once('close', budget.count(bytes, client.clientAddress()))
}
