import type { Socket } from 'node:net'

const chunkBytes = 131_072
// What is shorter costs less to copy into memory of its own size than it would keep occupied.
const shortBytes = 16_384
const mostKept = 64

/** How much of each buffer was read into it last. */
const lengths = new WeakMap<ArrayBufferLike, number>()
const kept: ArrayBuffer[] = []

const copyOf = (bytes: Uint8Array) => {
  if (bytes.length < shortBytes) return Buffer.from(bytes)
  const buffer = kept.pop() ?? new ArrayBuffer(chunkBytes)
  lengths.set(buffer, bytes.length)
  const chunk = Buffer.from(buffer, 0, bytes.length)
  chunk.set(bytes)
  return chunk
}

/**
 * To be called once nobody will look at these bytes again. Where they are all that was read into a buffer, that is
 * used for the next read: a long answer would otherwise leave a hundred megabytes of garbage for each it passes on.
 */
export const releaseChunk = ({ buffer, length }: Buffer) => {
  if (buffer instanceof ArrayBuffer && lengths.get(buffer) === length && kept.length < mostKept) {
    lengths.delete(buffer)
    kept.push(buffer)
  }
}

/** Has a socket read into one buffer, which all share as each copies at once what it has read. */
export const sharedReadBuffer = {
  buffer: Buffer.allocUnsafeSlow(chunkBytes),
  callback(this: Socket, bytesRead: number, buffer: Uint8Array) {
    return this.push(copyOf(buffer.subarray(0, bytesRead)))
  },
}
