import { type IAudioMetadata, parseFromTokenizer } from 'music-metadata'
import { fromFile } from 'strtok3'
import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import { type AudioDescription, createFailure, type RejectedAudio, toMilliseconds } from './audio-analysis.ts'
import { readLyrics, readTags } from './file-tags.ts'
import type { FileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'
import { isPlausibleSampleRate } from './measure-blocks.ts'
import { mediaTypeOfFamily } from './media-family.ts'
import { readMp4Sound } from './mp4-tracks.ts'
import { findMpegSound } from './mpeg-frames.ts'
import { readOggSound } from './ogg-pages.ts'
import { toStoredInteger } from './stored-integer.ts'
import { rethrowSystemError } from './system-error.ts'
import { readWebmSound } from './webm-sound.ts'

/** What a container states about its sound. Anything absent or undefined is unknown. */
export interface StatedSound {
  readonly hasSound: boolean
  readonly isEncrypted?: boolean
  readonly hasVideo?: boolean
  readonly durationS?: number | undefined
  /** How much sound a decoder must find. Gaps, for example, are left out. */
  readonly declaredS?: number | undefined
  readonly sampleRate?: number | undefined
  readonly channels?: number | undefined
  readonly skippedBytes?: number
}

const readMp3Sound = (file: FileWindow): StatedSound => {
  const sound = findMpegSound(file)
  if (!sound) return { hasSound: false }
  const { start, declaredS, sampleRate, channels } = sound
  const skippedBytes = start === findId3End(file) ? 0 : start
  return { hasSound: true, durationS: declaredS, declaredS, sampleRate, channels, skippedBytes }
}

const readStatedSound = (file: FileWindow, family: MediaFamily): StatedSound | null => {
  switch (family) {
    case 'mp3':
      return readMp3Sound(file)
    case 'ogg':
      return readOggSound(file)
    case 'webm':
      return readWebmSound(file)
    case 'mp4':
      return readMp4Sound(file)
    default:
      return null
  }
}

// The parser guesses a file's type from its first bytes. For MP3, it is told the type, because other bytes may precede
// the frames.
const parse = async (path: string, family: MediaFamily, duration: boolean): Promise<IAudioMetadata> => {
  const tokenizer = await fromFile(path, family === 'mp3' ? { fileInfo: { mimeType: 'audio/mpeg' } } : {})
  try {
    return await parseFromTokenizer(tokenizer, { skipCovers: true, duration })
  } finally {
    await tokenizer.close()
  }
}

export const describeStream = async (
  path: string,
  file: FileWindow,
  family: MediaFamily,
  contentType: string,
  hasDecoder: boolean,
): Promise<AudioDescription | RejectedAudio> => {
  const stated = readStatedSound(file, family)
  if (stated?.isEncrypted) return createFailure('audio_encrypted')
  if (stated?.hasSound === false) return createFailure('audio_empty')
  // Browsers report the video type for audio in these containers too.
  if (stated?.hasVideo && contentType.startsWith('video/')) return createFailure('type_mismatch')

  const isMeasured = hasDecoder || stated?.durationS !== undefined
  const metadata = await parse(path, family, !isMeasured).catch(rethrowSystemError)
  const durationS = stated?.durationS ?? metadata?.format.duration
  const sampleRate = stated?.sampleRate ?? metadata?.format.sampleRate ?? 0
  const channels = stated?.channels ?? metadata?.format.numberOfChannels ?? 0
  // The parser does not know the durations of these families, or only estimates them.
  const isStatedOnly = family === 'mp3' || family === 'ogg' || family === 'webm'
  return {
    family,
    contentType: mediaTypeOfFamily(family, contentType),
    fileSize: file.fileSize,
    declaredS: stated?.declaredS ?? (isStatedOnly ? undefined : metadata?.format.duration),
    sound: null,
    skippedBytes: stated?.skippedBytes ?? 0,
    measures: {
      durationMs: durationS === undefined ? null : toMilliseconds(durationS),
      sampleRate: isPlausibleSampleRate(sampleRate) ? Math.round(sampleRate) : null,
      channels: toStoredInteger(channels),
    },
    tags: metadata ? readTags(metadata) : [],
    lyrics: metadata ? readLyrics(metadata) : null,
  }
}
