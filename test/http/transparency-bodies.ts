import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { waitForDrain } from './wait-for-drain.ts'

const pieceBytes = 256 * 1024
const template = Buffer.from(Array.from({ length: pieceBytes }, (_, at) => (at * 31 + (at >> 8)) % 251))

/** Generates a body of `totalBytes`, and hashes it as it is read. No two pieces are alike. */
export function* generated(totalBytes: number, hash: Hash) {
  for (let offset = 0; offset < totalBytes; offset += pieceBytes) {
    const piece = Buffer.from(template.subarray(0, Math.min(pieceBytes, totalBytes - offset)))
    piece.writeUIntBE(offset, 0, 6)
    hash.update(piece)
    yield piece
  }
}

export const digestBody = async (body: Readable) => {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, digest: hash.digest('hex') }
}

export const openRequest = (port: number, method: string, target: string, bytes = 0): ClientRequest =>
  request({
    port,
    host: '127.0.0.1',
    method,
    path: target,
    agent: false,
    headers: bytes === 0 ? {} : { 'Content-Length': bytes },
  })

export const receiveResponse = async (sent: ClientRequest): Promise<IncomingMessage> => {
  const [response] = await once(sent, 'response')
  return response
}

// A prime number, so that consecutive buffers of a power-of-two size have different content.
const patternBytes = 1_048_573
const pattern = Buffer.alloc(patternBytes)
for (let offset = 0; offset < patternBytes; offset++) pattern[offset] = (offset * 31 + (offset >> 8)) % 251

/** Writes a repeating pattern, which `readPattern` can check byte by byte at low cost. Respects back-pressure. */
export const sendPattern = async (outgoing: ServerResponse, totalBytes: number) => {
  for (let offset = 0; offset < totalBytes && !outgoing.destroyed; offset += patternBytes) {
    if (outgoing.write(pattern.subarray(0, Math.min(patternBytes, totalBytes - offset)))) continue
    await waitForDrain(outgoing)
  }
  outgoing.end()
}

/** Whether these bytes, which begin at `offset` of a body, match the pattern there. */
const matchesPattern = (bytes: Buffer, offset: number): boolean => {
  const start = offset % patternBytes
  const expected = pattern.subarray(start, start + bytes.length)
  if (!expected.equals(bytes.subarray(0, expected.length))) return false
  return (
    expected.length === bytes.length ||
    matchesPattern(bytes.subarray(expected.length), offset + expected.length)
  )
}

interface PatternReader {
  readonly port: number
  readonly target: string
  readonly pauseMs?: number
}

/**
 * Reads a response to its end; resolves to the length of its body, or rejects if the body does not match the pattern.
 */
export const readPattern = ({ port, target, pauseMs = 0 }: PatternReader) =>
  new Promise<number>((resolve, reject) => {
    let head = ''
    let received = 0
    const onRead = (length: number, buffer: Uint8Array) => {
      let bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length)
      if (!head.includes('\r\n\r\n')) {
        const before = head.length
        head += bytes.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return true
        bytes = bytes.subarray(end + 4 - before)
        head = head.slice(0, end + 4)
      }
      if (!matchesPattern(bytes, received))
        socket.destroy(new Error(`${target} differs after ${received} bytes`))
      received += bytes.length
      if (pauseMs === 0) return true
      setTimeout(() => socket.resume(), pauseMs)
      return false
    }
    const socket = connect({
      port,
      host: '127.0.0.1',
      onread: { buffer: Buffer.alloc(65_536), callback: onRead },
    })
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    socket.once('error', reject).once('close', () => resolve(received))
  })
