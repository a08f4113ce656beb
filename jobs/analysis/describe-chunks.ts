import { open } from 'node:fs/promises'
import { type IAudioMetadata, parseBuffer } from 'music-metadata'
import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import {
  type AudioDescription,
  createFailure,
  isTruncated,
  type RejectedAudio,
  toMilliseconds,
} from './audio-analysis.ts'
import { type ChunkedSound, createChunk, readChunkedFile, type TagChunk } from './chunked-file.ts'
import { readLyrics, readTags } from './file-tags.ts'
import type { FileWindow } from './file-window.ts'
import { isPlausibleSampleRate } from './measure-blocks.ts'
import { mediaTypeOfFamily } from './media-family.ts'
import { toStoredInteger } from './stored-integer.ts'

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

const parseChunkTags = async (path: string, tags: readonly TagChunk[]) => {
  const { id3: ofId3 = [], list: ofLists = [] } = Object.groupBy(tags, ({ id }) =>
    id === 'id3 ' ? 'id3' : 'list',
  )
  const id3 = await readChunks(path, ofId3, maxId3Bytes)
  const info = await readChunks(path, ofLists, maxInfoBytes)
  // The lists come last, because the parser may read past the end of a damaged one.
  const chunks = [...id3, ...info]
  return (await parseTags(chunks)) ?? parseFirstReadable(chunks)
}

const checkSound = ({ start, end, declaredBytes, format }: ChunkedSound): RejectedAudio | null => {
  if (end <= start) return createFailure('audio_empty')
  if (format.channels === 0 || !isPlausibleSampleRate(format.sampleRate))
    return createFailure('audio_corrupt')
  // If the rate is unknown, bytes stand in for seconds, so only the missing fraction counts.
  const bytesPerSecond = format.bytesPerSecond ?? 1
  const isCut = isTruncated((end - start) / bytesPerSecond, declaredBytes / bytesPerSecond)
  return isCut ? createFailure('audio_truncated') : null
}

export const describeChunks = async (
  path: string,
  file: FileWindow,
  family: MediaFamily,
  contentType: string,
): Promise<AudioDescription | RejectedAudio> => {
  const { sound = null, tags = [] } = readChunkedFile(file) ?? {}
  const rejected = sound ? checkSound(sound) : createFailure('audio_empty')
  if (!sound || rejected) return rejected ?? createFailure('audio_empty')

  const { pcm, bytesPerSecond, sampleRate, channels } = sound.format
  const durationS = bytesPerSecond === null ? null : (sound.end - sound.start) / bytesPerSecond
  const metadata = await parseChunkTags(path, tags)
  return {
    family,
    contentType: mediaTypeOfFamily(family, contentType),
    fileSize: file.fileSize,
    // The rate of compressed samples is only an average.
    declaredS: pcm && bytesPerSecond !== null ? sound.declaredBytes / bytesPerSecond : undefined,
    sound,
    skippedBytes: 0,
    measures: {
      durationMs: durationS === null ? null : toMilliseconds(durationS),
      sampleRate: Math.round(sampleRate),
      channels: toStoredInteger(channels),
    },
    tags: metadata ? readTags(metadata) : [],
    lyrics: metadata ? readLyrics(metadata) : null,
  }
}
