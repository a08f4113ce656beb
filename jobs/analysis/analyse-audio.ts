import { audioFormatOf } from '#contracts/shared/audio-formats.ts'
import { LimitExceededError, limitFailure } from './analysis-limits.ts'
import {
  type AudioAnalysis,
  type AudioDescription,
  completeAnalysis,
  createFailure,
  type RejectedAudio,
} from './audio-analysis.ts'
import { requireFewElements } from './container-elements.ts'
import { decodeSound } from './decode.ts'
import { describeChunks } from './describe-chunks.ts'
import { describeStream } from './describe-stream.ts'
import { type FileWindow, openFileWindow } from './file-window.ts'
import { maxChannels, measureBlocks, requireWithinLimits, TooLongError } from './measure-blocks.ts'
import { canBeDeclaredAs, detectMedia } from './media-family.ts'
import type { AnalysisTask } from './run-child.ts'

export type AnalysisWithoutDecoder =
  | AudioAnalysis
  | { readonly failure: null; readonly undecoded: AudioDescription }

type AudioFile = Omit<AnalysisTask, 'kind'>

const inspectedBytes = 1024

const isControl = (byte: number) => byte < 9 || (byte > 13 && byte < 32)

const describeFound = (file: FileWindow, mediaType: string | null) => {
  if (file.fileSize === 0) return 'empty'
  if (mediaType !== null) return mediaType
  const bytes = file.readHeader(0, Math.min(file.fileSize, inspectedBytes))
  return bytes.some(isControl) ? 'of an unknown type' : 'text'
}

const createMismatch = (file: FileWindow, mediaType: string | null, contentType: string): RejectedAudio => {
  const found = describeFound(file, mediaType)
  return { failure: { code: 'type_mismatch', message: `The file is ${found}, not ${contentType}.` } }
}

const describe = async (file: FileWindow, { path, contentType, hasDecoder }: AudioFile) => {
  const { family, mediaType } = await detectMedia(path, file)
  if (!family || !canBeDeclaredAs(family, contentType)) return createMismatch(file, mediaType, contentType)
  requireFewElements(file, family)
  return audioFormatOf(family).isChunked
    ? describeChunks(path, file, family, contentType)
    : describeStream(path, file, family, contentType, hasDecoder)
}

const analyse = async (audioFile: AudioFile): Promise<AnalysisWithoutDecoder> => {
  const { path, hasDecoder } = audioFile
  const file = openFileWindow(path)
  const described = await describe(file, audioFile).finally(file.close)
  if ('failure' in described) return described
  const { sound, fileSize, measures, declaredS = 0 } = described
  const { sampleRate, channels } = measures
  if (sampleRate !== null) requireWithinLimits(declaredS * sampleRate, sampleRate, fileSize)
  if (channels !== null && channels > maxChannels) return completeAnalysis(described, 'undecodable')
  const blocks = sound && !hasDecoder ? decodeSound(path, sound) : null
  if (!blocks) return { failure: null, undecoded: described }
  return completeAnalysis(described, await measureBlocks(blocks, fileSize))
}

export const analyseAudio = (file: AudioFile): Promise<AnalysisWithoutDecoder> =>
  analyse(file).catch((error) => {
    if (error instanceof LimitExceededError) return { failure: limitFailure }
    if (error instanceof TooLongError) return createFailure('audio_too_long')
    throw error
  })
