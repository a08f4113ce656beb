import type { ServerResponse } from 'node:http'
import { finished, pipeline } from 'node:stream/promises'
import { contentOf } from '../pages/page-app.ts'
import type { BodyChunk } from '../request/response.ts'
import type { ResponseHeaders } from '../request/response-headers.ts'

const canWrite = (outgoing: ServerResponse) => !outgoing.headersSent && !outgoing.destroyed

const writeChunks = (
  outgoing: ServerResponse,
  method: string,
  status: number,
  headers: ResponseHeaders,
  chunks: readonly BodyChunk[],
) => {
  headers['content-length'] = String(chunks.reduce((length, chunk) => length + chunk.length, 0))
  outgoing.writeHead(status, headers)
  if (method !== 'HEAD') for (const chunk of chunks) outgoing.write(chunk)
  outgoing.end()
  return true
}

/** Writes a complete response; returns false if a head was sent or the client disconnected. */
export const writeResponse = (
  outgoing: ServerResponse,
  method: string,
  status: number,
  headers: ResponseHeaders,
  body: string | readonly BodyChunk[],
): boolean => {
  if (!canWrite(outgoing)) return false
  // RFC 9110, section 15.5.9: what is left of the request would be taken for the next one.
  if (status === 408) outgoing.shouldKeepAlive = false
  if (typeof body !== 'string') return writeChunks(outgoing, method, status, headers, body)
  if (status !== 204) headers['content-length'] = String(Buffer.byteLength(body))
  outgoing.writeHead(status, headers)
  outgoing.end(method === 'HEAD' ? undefined : body, 'utf8')
  return true
}

// A client that disconnects is not an error.
const ignorePrematureClose = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}

/** Writes a head, calls `onHead`, then streams the body; that of a page is written at once. */
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

/** Resolves when a response has ended, whether or not it reached the client. */
export const waitForResponseEnd = async (outgoing: ServerResponse) => {
  if (!outgoing.closed) await finished(outgoing).catch(() => undefined)
}
