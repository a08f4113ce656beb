import type { ChunkedSound } from './chunked-file.ts'

/**
 * Creates a RIFF chunk, or an IFF chunk if big-endian. Its size field also counts the `followingBytes` bytes that the
 * caller appends.
 */
export const createChunk = (
  id: string,
  bytes: Uint8Array,
  isBigEndian = false,
  followingBytes = 0,
): Buffer => {
  const header = Buffer.alloc(8)
  header.write(id, 'latin1')
  const size = Math.min(bytes.length + followingBytes, 0xffff_ffff)
  if (isBigEndian) header.writeUInt32BE(size, 4)
  else header.writeUInt32LE(size, 4)
  return Buffer.concat([header, bytes, Buffer.alloc(bytes.length % 2)])
}

/**
 * Creates the header of a file that contains only a format and samples: AIFF-C for AIFF's formats, WAV for all others.
 */
export const createHeader = ({ format: { codec }, formatBytes, start, end }: ChunkedSound): Buffer => {
  const size = end - start
  if (typeof codec === 'number') {
    const chunks = [createChunk('fmt ', formatBytes), createChunk('data', Buffer.alloc(0), false, size)]
    return createChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]), false, size)
  }
  const chunks = [createChunk('COMM', formatBytes, true), createChunk('SSND', Buffer.alloc(8), true, size)]
  return createChunk('FORM', Buffer.concat([Buffer.from('AIFC'), ...chunks]), true, size)
}
