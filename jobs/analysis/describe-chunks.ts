import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import {
  type AudioDescription,
  createFailure,
  isTruncated,
  type RejectedAudio,
  toMilliseconds,
} from './audio-analysis.ts'
import { parseChunkTags } from './chunk-tags.ts'
import { type ChunkedSound, readChunkedFile } from './chunked-file.ts'
import { readLyrics, readTags } from './file-tags.ts'
import type { FileWindow } from './file-window.ts'
import { isPlausibleSampleRate } from './measure-blocks.ts'
import { mediaTypeOfFamily } from './media-family.ts'
import { toStoredInteger } from './stored-integer.ts'

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
