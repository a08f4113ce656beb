// Optimized: see "GET of 100 MiB, 4 readers" in bench/README.md.
/**
 * Node allocates memory for each read of a socket. With the option `onread` it reads into a given buffer instead and
 * emits no data; the callback has to push it (verified on Node 26.10.0).
 */
import type { Socket } from 'node:net'

const bufferBytes = 131_072
// A shorter chunk costs less to copy into memory of its own size than it would occupy in a pooled buffer.
const minPooledBytes = 16_384
const maxPooledBuffers = 64

/** How many bytes the last read placed in each buffer. */
const usedBytes = new WeakMap<ArrayBufferLike, number>()
const pool: ArrayBuffer[] = []

const copyBytes = (bytes: Uint8Array) => {
  if (bytes.length < minPooledBytes) return Buffer.from(bytes)
  const buffer = pool.pop() ?? new ArrayBuffer(bufferBytes)
  usedBytes.set(buffer, bytes.length)
  const chunk = Buffer.from(buffer, 0, bytes.length)
  chunk.set(bytes)
  return chunk
}

/**
 * To be called once a chunk is no longer used. If it contains everything that was read into a buffer, that buffer is
 * used for a later read: a long response would otherwise leave a hundred megabytes of garbage.
 */
export const releaseChunk = ({ buffer, length }: Buffer) => {
  if (buffer instanceof ArrayBuffer && usedBytes.get(buffer) === length && pool.length < maxPooledBuffers) {
    usedBytes.delete(buffer)
    pool.push(buffer)
  }
}

/** The option `onread` of a socket: all sockets read into one buffer, as each read is copied at once. */
export const sharedReadBuffer = {
  buffer: Buffer.allocUnsafeSlow(bufferBytes),
  callback(this: Socket, bytesRead: number, buffer: Uint8Array) {
    return this.push(copyBytes(buffer.subarray(0, bytesRead)))
  },
}
