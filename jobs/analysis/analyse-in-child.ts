import { stat } from 'node:fs/promises'
import type { AnalysisWithoutDecoder } from './analyse-audio.ts'
import { type AnalysisLimits, calculateAnalysisLimits } from './analysis-limits.ts'
import { type AudioAnalysis, completeAnalysis } from './audio-analysis.ts'
import { decodeWithFfmpeg } from './decode-with-ffmpeg.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'
import type { AssetInspection } from './inspect-asset.ts'
import { LimitExceededError, limitFailure } from './limit-exceeded-error.ts'
import type { MediaFamily } from './media-family.ts'
import { type AnalysisTask, runChild } from './run-child.ts'

interface AudioFile {
  readonly path: string
  readonly contentType: string
}

// The child process sends the return value of the function that the task names.
const asResult = <T>(result: unknown) => result as T

const calculateLimits = async (path: string, limits: Partial<AnalysisLimits>) => {
  // The child process reports a file that cannot be opened.
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  )
  return { ...calculateAnalysisLimits(size), ...limits }
}

const runTask = async <T>(
  task: AnalysisTask,
  signal: AbortSignal,
  limitResult: T,
  limits: Partial<AnalysisLimits>,
) => {
  const outcome = await runChild(task, await calculateLimits(task.path, limits), signal)
  // A retry would exceed the limit again, so this is the result of the file and not an error.
  return outcome.limit === null ? asResult<T>(outcome.result) : limitResult
}

/** Decodes what the child process could not decode, with the same limits again. */
export const decodeRest = async (
  path: string,
  analysis: AnalysisWithoutDecoder,
  ffmpeg: Ffmpeg | null,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
): Promise<AudioAnalysis> => {
  if (!('undecoded' in analysis)) return analysis
  const { undecoded } = analysis
  if (!ffmpeg) return completeAnalysis(undecoded, 'no decoder')
  try {
    const allLimits = await calculateLimits(path, limits)
    return completeAnalysis(undecoded, await decodeWithFfmpeg(path, undecoded, ffmpeg, allLimits, signal))
  } catch (error) {
    if (error instanceof LimitExceededError) return { failure: limitFailure }
    throw error
  }
}

/**
 * Analyses an audio file: in a child process what that can decode, with ffmpeg the rest. Without ffmpeg the rest has no
 * waveform.
 */
export const analyseAudioInChild = async (
  { path, contentType }: AudioFile,
  ffmpeg: Ffmpeg | null,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
) => {
  const task: AnalysisTask = { kind: 'audio', path, contentType, hasDecoder: ffmpeg !== null }
  const limitResult: AnalysisWithoutDecoder = { failure: limitFailure }
  const analysis = await runTask<AnalysisWithoutDecoder>(task, signal, limitResult, limits)
  return decodeRest(path, analysis, ffmpeg, signal, limits)
}

export const inspectAssetInChild = (
  path: string,
  contentType: string,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
) => {
  const limitResult: AssetInspection = { failure: limitFailure, width: null, height: null }
  const task: AnalysisTask = { kind: 'asset', path, contentType, hasDecoder: false }
  return runTask<AssetInspection>(task, signal, limitResult, limits)
}

/** Returns the family of an audio file; null for any other file and for a file that exceeds the limits. */
export const detectFamilyInChild = (path: string, signal: AbortSignal) =>
  runTask<MediaFamily | null>({ kind: 'family', path, contentType: '', hasDecoder: false }, signal, null, {})
