import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import type { Failure } from '#db/queries/jobs/failure.ts'
import type { AudioProperties } from '#db/queries/tracks/track-versions.ts'
import type { ChunkedSound } from './chunked-file.ts'
import type { FileLyrics, FileTag } from './file-tags.ts'
import type { DecodedAudio } from './measure-blocks.ts'
import type { Waveform } from './peaks.ts'
import { maxStoredInteger } from './stored-integer.ts'

export type MissingWaveform = 'no decoder' | 'unsupported codec'

export interface RejectedAudio {
  readonly failure: Failure
}

export type AudioAnalysis =
  | RejectedAudio
  | {
      readonly failure: null
      /** The file's actual media type, which may be more specific than the declared one. */
      readonly contentType: string
      readonly measures: AudioProperties
      readonly waveform: Waveform | MissingWaveform
      readonly tags: readonly FileTag[]
      readonly lyrics: FileLyrics | null
    }

export interface AudioDescription {
  readonly family: MediaFamily
  readonly contentType: string
  readonly fileSize: number
  /** Undefined if unknown or only estimated. */
  readonly declaredS: number | undefined
  /** Null unless the file is WAV or AIFF, because the decoders of other families read the file themselves. */
  readonly sound: ChunkedSound | null
  /** How many bytes at the start of the file a decoder would mistake for sound. */
  readonly skippedBytes: number
  readonly measures: AudioProperties
  readonly tags: readonly FileTag[]
  readonly lyrics: FileLyrics | null
}

const failures = {
  audio_corrupt: 'The file cannot be read as audio.',
  audio_encrypted: 'The file holds encrypted audio, which cannot be played.',
  audio_truncated: 'The file ends before its audio does.',
  audio_empty: 'The file holds no audio.',
  type_mismatch: 'The file contains video. Upload only its audio.',
  audio_too_long: 'The file holds more than 24 hours of audio.',
} as const

export const createFailure = (code: keyof typeof failures): RejectedAudio => ({
  failure: { code, message: failures[code] },
})

// The decoded sound may be slightly shorter than declared: decoders drop what an encoder added, and headers may be off
// by a few bytes. Players accept such files.
const tolerance = { fraction: 0.01, seconds: 0.3, maxFraction: 0.25 }

export const isTruncated = (foundS: number, declaredS: number) =>
  declaredS - foundS >
  Math.min(declaredS * tolerance.fraction + tolerance.seconds, declaredS * tolerance.maxFraction)

export const toMilliseconds = (seconds: number) =>
  seconds >= 0 ? Math.min(Math.round(seconds * 1000), maxStoredInteger) : null

export const completeAnalysis = (
  { contentType, measures, tags, lyrics, declaredS, sound }: AudioDescription,
  decoded: DecodedAudio | 'no decoder',
): AudioAnalysis => {
  switch (decoded) {
    case 'corrupt':
      return createFailure('audio_corrupt')
    case 'empty':
      return createFailure('audio_empty')
    case 'too long':
      return createFailure('audio_too_long')
    case 'undecodable':
      return { failure: null, contentType, measures, waveform: 'unsupported codec', tags, lyrics }
    case 'no decoder':
      return { failure: null, contentType, measures, waveform: 'no decoder', tags, lyrics }
  }
  const { frames, sampleRate, waveform } = decoded
  // Decoders round AIFF's fractional rates.
  const statedRate = sound?.format.sampleRate ?? sampleRate
  const decodedS = frames / (Math.round(statedRate) === Math.round(sampleRate) ? statedRate : sampleRate)
  if (declaredS !== undefined && isTruncated(decodedS, declaredS)) return createFailure('audio_truncated')
  const decodedMeasures = {
    durationMs: toMilliseconds(decodedS),
    sampleRate: waveform.sampleRate,
    channels: waveform.channels,
  }
  return { failure: null, contentType, measures: decodedMeasures, waveform, tags, lyrics }
}
