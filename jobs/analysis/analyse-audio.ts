import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { parseFile, parseStream } from 'music-metadata'
import type { Failure } from '#db/queries/failure.ts'
import type { AudioProperties } from '#db/queries/track-versions.ts'
import { isAudioDataTruncated } from './chunked-file.ts'
import { type FileLyrics, type FileTag, readLyrics, readTags } from './file-tags.ts'
import { findAudioOffset } from './find-audio-offset.ts'
import { LimitExceededError, limitFailure } from './limit-exceeded-error.ts'
import {
  chunkedFamilies,
  isPlausibleSampleRate,
  measureAudio,
  readDeclaredDurationS,
} from './measure-audio.ts'
import { canBeDeclaredAs, detectFamily, type MediaFamily, mediaTypeOfFamily } from './media-family.ts'
import type { Waveform } from './peaks.ts'
import { readAsPlainWav } from './plain-wav.ts'

/** The result of an analysis. With a `failure`, the file is not valid audio of its declared type. */
export type AudioAnalysis =
  | { readonly failure: Failure }
  | {
      readonly failure: null
      /** The media type that the file has, which may be a more exact one than it was declared to have. */
      readonly contentType: string
      readonly measures: AudioProperties
      /** Null when the file can be played but its codec cannot be decoded here. */
      readonly waveform: Waveform | null
      readonly tags: readonly FileTag[]
      readonly lyrics: FileLyrics | null
    }

const failures = {
  type_mismatch: 'The file is not of the type that it was declared to be.',
  audio_corrupt: 'The file cannot be read as audio.',
  audio_truncated: 'The file ends before its audio does.',
  audio_empty: 'The file holds no audio.',
  audio_too_long: 'The file holds more than 24 hours of audio.',
} as const

const createFailure = (code: keyof typeof failures): AudioAnalysis => ({
  failure: { code, message: failures[code] },
})

const parse = (path: string, family: MediaFamily) => {
  const options = { skipCovers: true }
  if (family !== 'rf64') return parseFile(path, options)
  return parseStream(Readable.from(readAsPlainWav(path), { objectMode: false }), 'audio/wav', options)
}

// Decoders drop encoder padding, and one of them drops the last block.
const isTruncated = (decodedS: number, declaredS: number | undefined) =>
  declaredS !== undefined && decodedS < declaredS * 0.99 - 0.3

const toMilliseconds = (seconds: number) => Math.min(Math.round(seconds * 1000), 2_147_483_647)

const analyse = async (path: string, contentType: string): Promise<AudioAnalysis> => {
  const family = await detectFamily(path)
  if (!family || !canBeDeclaredAs(family, contentType)) return createFailure('type_mismatch')
  if (chunkedFamilies.includes(family) && (await isAudioDataTruncated(path)))
    return createFailure('audio_truncated')
  const headBytes = findAudioOffset(path, family)
  const metadata = await parse(path, family).catch(() => null)
  if (!metadata) return createFailure('audio_corrupt')

  const { duration, sampleRate = 0, numberOfChannels = 0 } = metadata.format
  const checkedType = mediaTypeOfFamily(family, contentType)
  const embedded = { tags: readTags(metadata), lyrics: readLyrics(metadata) }
  const { size: fileSize } = await stat(path)
  const decoded = await measureAudio({ path, family, fileSize, headBytes }, metadata)
  switch (decoded) {
    case 'corrupt':
      return createFailure('audio_corrupt')
    case 'empty':
      return createFailure('audio_empty')
    case 'too long':
      return createFailure('audio_too_long')
    case 'undecodable': {
      const durationMs = duration === undefined ? null : toMilliseconds(duration)
      return {
        failure: null,
        contentType: checkedType,
        measures: {
          durationMs,
          sampleRate: isPlausibleSampleRate(sampleRate) ? sampleRate : null,
          channels: numberOfChannels > 0 ? numberOfChannels : null,
        },
        waveform: null,
        ...embedded,
      }
    }
  }
  const decodedS = decoded.frames / decoded.sampleRate
  if (isTruncated(decodedS, readDeclaredDurationS(family, metadata))) return createFailure('audio_truncated')
  const { waveform } = decoded
  const measures = {
    durationMs: toMilliseconds(decodedS),
    sampleRate: decoded.sampleRate,
    channels: waveform.channels,
  }
  return { failure: null, contentType: checkedType, measures, waveform, ...embedded }
}

/** Checks that a file is valid audio of its declared type, and reads its measures, waveform, tags and lyrics. */
export const analyseAudio = async (path: string, contentType: string): Promise<AudioAnalysis> =>
  analyse(path, contentType).catch((error) => {
    if (error instanceof LimitExceededError) return { failure: limitFailure }
    throw error
  })
