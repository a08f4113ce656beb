import type { ServerResponse } from 'node:http'
import { finished, pipeline } from 'node:stream/promises'
import type { BodyBudget } from '../edge/body-budget.ts'
import { contentOf } from '../pages/page-app.ts'
import type { RequestContext } from '../request/context.ts'
import { type BodyChunk, byteLengthOf, type ResponseHeaders } from '../request/response.ts'

type Client = Pick<RequestContext, 'clientAddress'>

// A response up to this size costs little more than the error that would replace it, and at most one per connection is
// waiting.
const smallBytes = 16_384

/** The response to a write is always sent, because its effect has happened. */
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

export const countUnread = (budget: BodyBudget, outgoing: ServerResponse, client: Client) => {
  const bytes = outgoing.socket?.writableLength ?? 0
  if (bytes > 0) outgoing.once('close', budget.count(bytes, client.clientAddress()))
}

const canWrite = (outgoing: ServerResponse) => !outgoing.headersSent && !outgoing.destroyed

/** Returns false if a head has already been sent or the client has disconnected. */
export const writeResponse = (
  outgoing: ServerResponse,
  method: string,
  status: number,
  headers: ResponseHeaders,
  body: string | readonly BodyChunk[],
): boolean => {
  if (!canWrite(outgoing)) return false
  // Closes the connection (RFC 9110, section 15.5.9), because the rest of this request would be taken for the next one.
  if (status === 408) outgoing.shouldKeepAlive = false
  if (status !== 204) headers['content-length'] = String(byteLengthOf(body))
  outgoing.writeHead(status, headers)
  if (method === 'HEAD') outgoing.end()
  else if (typeof body === 'string') outgoing.end(body, 'utf8')
  else {
    for (const chunk of body) outgoing.write(chunk)
    outgoing.end()
  }
  return true
}

const ignorePrematureClose = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}

/** A page's body is written in one piece. */
export const streamResponse = async (
  outgoing: ServerResponse,
  method: string,
  response: Response,
  headers: ResponseHeaders,
  onHead: () => void,
): Promise<void> => {
  if (!canWrite(outgoing)) return response.body?.cancel()
  outgoing.writeHead(response.status, headers)
  onHead()
  const content = contentOf(response)
  if (content) outgoing.end(method === 'HEAD' ? undefined : content)
  else if (method === 'HEAD' || !response.body) {
    outgoing.end()
    await response.body?.cancel()
  } else await pipeline(response.body, outgoing).catch(ignorePrematureClose)
}

export const waitForResponseEnd = async (outgoing: ServerResponse) => {
  if (!outgoing.closed) await finished(outgoing).catch(() => undefined)
}
