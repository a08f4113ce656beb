import { stat } from 'node:fs/promises'
import type { MediaFamily } from '#contracts/shared/audio-formats.ts'
import type { Failure } from '#db/queries/jobs/failure.ts'
import type { AnalysisWithoutDecoder } from './analyse-audio.ts'
import {
  calculateProcessLimits,
  crashFailure,
  LimitExceededError,
  limitFailure,
  type ProcessLimits,
} from './analysis-limits.ts'
import { type AudioAnalysis, completeAnalysis } from './audio-analysis.ts'
import { decodeWithFfmpeg } from './decode-with-ffmpeg.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'
import type { AssetInspection } from './inspect-asset.ts'
import { AnalysisCrashError, type AnalysisTask, runChild } from './run-child.ts'

// The task names a function, and the child process sends that function's return value.
const asResult = <T>(result: unknown) => result as T

const calculateLimits = async (path: string, limits: Partial<ProcessLimits>) => {
  // If the file cannot be opened, the child process reports that.
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  )
  return { ...calculateProcessLimits(size), ...limits }
}

const maxCrashes = 3

// One crash may be the machine's fault. Three in a row are the file's.
const runUntilNoCrash = async (task: AnalysisTask, signal: AbortSignal, limits: Partial<ProcessLimits>) => {
  for (let crashes = 1; ; crashes++) {
    try {
      return await runChild(task, await calculateLimits(task.path, limits), signal)
    } catch (error) {
      if (!(error instanceof AnalysisCrashError)) throw error
      if (crashes === maxCrashes) return null
    }
  }
}

// A retry would only crash the process or exceed the limit again. So both outcomes are the file's result, not an error.
const runTask = async <T>(
  task: AnalysisTask,
  signal: AbortSignal,
  toResult: (failure: Failure) => T,
  limits: Partial<ProcessLimits>,
) => {
  const outcome = await runUntilNoCrash(task, signal, limits)
  if (!outcome) return toResult(crashFailure)
  return outcome.limit === null ? asResult<T>(outcome.result) : toResult(limitFailure)
}

export const decodeRest = async (
  path: string,
  analysis: AnalysisWithoutDecoder,
  ffmpeg: Ffmpeg | null,
  signal: AbortSignal,
  limits: Partial<ProcessLimits> = {},
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

export const analyseAudioInChild = async (
  { path, contentType }: Pick<AnalysisTask, 'path' | 'contentType'>,
  ffmpeg: Ffmpeg | null,
  signal: AbortSignal,
  limits: Partial<ProcessLimits> = {},
) => {
  const task: AnalysisTask = { kind: 'audio', path, contentType, hasDecoder: ffmpeg !== null }
  const analysis = await runTask<AnalysisWithoutDecoder>(task, signal, (failure) => ({ failure }), limits)
  return decodeRest(path, analysis, ffmpeg, signal, limits)
}

export const inspectAssetInChild = (
  path: string,
  contentType: string,
  signal: AbortSignal,
  limits: Partial<ProcessLimits> = {},
) => {
  const task: AnalysisTask = { kind: 'asset', path, contentType, hasDecoder: false }
  return runTask<AssetInspection>(task, signal, (failure) => ({ failure, width: null, height: null }), limits)
}

export const detectFamilyInChild = (path: string, signal: AbortSignal) =>
  runTask<MediaFamily | null>(
    { kind: 'family', path, contentType: '', hasDecoder: false },
    signal,
    () => null,
    {},
  )
