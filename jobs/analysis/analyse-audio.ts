import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type IAudioMetadata, parseFile, parseStream } from 'music-metadata'
import {
  type AudioAnalysis,
  type AudioDescription,
  completeAnalysis,
  createFailure,
  toMilliseconds,
} from './audio-analysis.ts'
import { isAudioDataTruncated } from './chunked-file.ts'
import { decodeFile } from './decode.ts'
import { readLyrics, readTags } from './file-tags.ts'
import { findAudioOffset } from './find-audio-offset.ts'
import { LimitExceededError, limitFailure } from './limit-exceeded-error.ts'
import {
  isPlausibleSampleRate,
  maxChannels,
  measureBlocks,
  requireWithinLimits,
  TooLongError,
} from './measure-blocks.ts'
import {
  canBeDeclaredAs,
  detectFamily,
  isChunked,
  type MediaFamily,
  mediaTypeOfFamily,
} from './media-family.ts'
import { readAsPlainWav } from './plain-wav.ts'

/** A complete analysis, or the description of a file that only an external decoder can decode. */
export type AnalysisWithoutDecoder =
  | AudioAnalysis
  | { readonly failure: null; readonly undecoded: AudioDescription }

interface AudioFile {
  readonly path: string
  readonly contentType: string
  /** Whether an external decoder measures the duration of files that do not state it. */
  readonly hasDecoder: boolean
}

const parse = (path: string, family: MediaFamily, hasDecoder: boolean) => {
  const options = { skipCovers: true, duration: !hasDecoder && !isChunked(family) }
  if (family !== 'rf64') return parseFile(path, options)
  return parseStream(Readable.from(readAsPlainWav(path), { objectMode: false }), 'audio/wav', options)
}

// The parser estimates the samples of an MP3 without a length header from the file size. Chunked files are checked by
// their chunk sizes, because their other length fields are often wrong.
const readDeclaredDurationS = (family: MediaFamily, { format }: IAudioMetadata) => {
  const { duration, numberOfSamples = 0, sampleRate = 1 } = format
  const isEstimate = family === 'mp3' && duration === numberOfSamples / sampleRate
  return isEstimate || isChunked(family) ? undefined : duration
}

const describeAudio = (
  family: MediaFamily,
  contentType: string,
  fileSize: number,
  metadata: IAudioMetadata,
): AudioDescription => {
  const { duration, sampleRate = 0, numberOfChannels = 0 } = metadata.format
  return {
    family,
    contentType: mediaTypeOfFamily(family, contentType),
    fileSize,
    declaredS: readDeclaredDurationS(family, metadata),
    measures: {
      durationMs: duration === undefined ? null : toMilliseconds(duration),
      sampleRate: isPlausibleSampleRate(sampleRate) ? sampleRate : null,
      channels: numberOfChannels > 0 ? numberOfChannels : null,
    },
    tags: readTags(metadata),
    lyrics: readLyrics(metadata),
  }
}

const analyse = async ({ path, contentType, hasDecoder }: AudioFile): Promise<AnalysisWithoutDecoder> => {
  const family = await detectFamily(path)
  if (!family || !canBeDeclaredAs(family, contentType)) return createFailure('type_mismatch')
  if (isChunked(family) && (await isAudioDataTruncated(path))) return createFailure('audio_truncated')
  const headBytes = findAudioOffset(path, family)
  const metadata = await parse(path, family, hasDecoder).catch(() => null)
  if (!metadata) return createFailure('audio_corrupt')

  const { size } = await stat(path)
  const described = describeAudio(family, contentType, size, metadata)
  const { sampleRate = 1, numberOfChannels = 1 } = metadata.format
  requireWithinLimits((described.declaredS ?? 0) * sampleRate, sampleRate, size)
  if (numberOfChannels > maxChannels) return completeAnalysis(described, 'undecodable')
  if (!isChunked(family)) return { failure: null, undecoded: described }
  const decoded = await measureBlocks(decodeFile(path, family, headBytes), size)
  if (decoded === 'undecodable') return { failure: null, undecoded: described }
  return completeAnalysis(described, decoded)
}

/** Checks that a file is valid audio of its declared type, and reads its measures, waveform, tags and lyrics. */
export const analyseAudio = (file: AudioFile): Promise<AnalysisWithoutDecoder> =>
  analyse(file).catch((error) => {
    if (error instanceof LimitExceededError) return { failure: limitFailure }
    if (error instanceof TooLongError) return createFailure('audio_too_long')
    throw error
  })
