import { open } from 'node:fs/promises'
import { type IAudioMetadata, parseBuffer } from 'music-metadata'
import { createChunk } from './canonical-header.ts'
import type { TagChunk } from './chunked-file.ts'

// enough for lyrics and a large cover
const maxId3Bytes = 64 * 1024 * 1024
// Small, because the parser reads each entry separately.
const maxInfoBytes = 256 * 1024
const maxChunks = 100

const readChunks = async (path: string, chunks: readonly TagChunk[], maxBytes: number) => {
  await using file = await open(path)
  const found: Buffer[] = []
  let remaining = maxBytes
  for (const { id, start, end } of chunks.slice(0, maxChunks)) {
    remaining -= end - start
    if (remaining < 0) break
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    found.push(createChunk(id, buffer))
  }
  return found
}

const parseTags = (chunks: readonly Buffer[]): Promise<IAudioMetadata | null> => {
  const content = Buffer.concat([Buffer.from('WAVE'), ...chunks])
  return parseBuffer(createChunk('RIFF', content), 'audio/wav', { skipCovers: true }).catch(() => null)
}

// One damaged chunk must not hide the rest.
const parseFirstReadable = async (chunks: readonly Buffer[]) => {
  for (const chunk of chunks) {
    const metadata = await parseTags([chunk])
    if (metadata) return metadata
  }
  return null
}

/** Parses a WAV or AIFF file's tags by giving the parser a WAV file that contains only the tags. */
export const parseChunkTags = async (path: string, tags: readonly TagChunk[]) => {
  const { id3: ofId3 = [], list: ofLists = [] } = Object.groupBy(tags, ({ id }) =>
    id === 'id3 ' ? 'id3' : 'list',
  )
  const id3 = await readChunks(path, ofId3, maxId3Bytes)
  const info = await readChunks(path, ofLists, maxInfoBytes)
  // The lists come last, because the parser may read past the end of a damaged one.
  const chunks = [...id3, ...info]
  return (await parseTags(chunks)) ?? parseFirstReadable(chunks)
}
