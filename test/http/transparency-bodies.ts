import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'

const pieceBytes = 256 * 1024
const filling = Buffer.from(Array.from({ length: pieceBytes }, (_, at) => (at * 31 + (at >> 8)) % 251))

/** A body of that many bytes, made and hashed as it is read, in which no two pieces are the same. */
export function* generated(totalBytes: number, hash: Hash) {
  for (let at = 0; at < totalBytes; at += pieceBytes) {
    const piece = Buffer.from(filling.subarray(0, Math.min(pieceBytes, totalBytes - at)))
    piece.writeUIntBE(at, 0, 6)
    hash.update(piece)
    yield piece
  }
}

/** How long a body is, and its SHA-256. */
export const sumOf = async (body: Readable) => {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, digest: hash.digest('hex') }
}

/** Begins a request on a connection of its own; the caller writes its body and ends it. */
export const openRequest = (port: number, method: string, target: string, bytes = 0): ClientRequest =>
  request({
    port,
    host: '127.0.0.1',
    method,
    path: target,
    agent: false,
    headers: bytes === 0 ? {} : { 'Content-Length': bytes },
  })

export const answerTo = async (sent: ClientRequest): Promise<IncomingMessage> => {
  const [answer] = await once(sent, 'response')
  return answer
}
