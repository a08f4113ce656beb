import { stat } from 'node:fs/promises'
import type { AudioAnalysis } from './analyse-audio.ts'
import { type AnalysisLimits, calculateAnalysisLimits } from './analysis-limits.ts'
import type { AssetInspection } from './inspect-asset.ts'
import { limitFailure } from './limit-exceeded-error.ts'
import type { MediaFamily } from './media-family.ts'
import { type AnalysisTask, runChild } from './run-child.ts'

// The child process sends the return value of the function that the task names.
const asResult = <T>(result: unknown) => result as T

const runTask = async <T>(
  task: AnalysisTask,
  signal: AbortSignal,
  limitResult: T,
  limits: Partial<AnalysisLimits>,
) => {
  // The child process reports a file that cannot be opened.
  const size = await stat(task.path).then(
    (stats) => stats.size,
    () => 0,
  )
  const outcome = await runChild(task, { ...calculateAnalysisLimits(size), ...limits }, signal)
  // A retry would exceed the limit again, so this is the result of the file and not an error.
  return outcome.limit === null ? asResult<T>(outcome.result) : limitResult
}

export const analyseAudioInChild = (
  path: string,
  contentType: string,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
) => runTask<AudioAnalysis>({ kind: 'audio', path, contentType }, signal, { failure: limitFailure }, limits)

export const inspectAssetInChild = (
  path: string,
  contentType: string,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
) => {
  const limitResult: AssetInspection = { failure: limitFailure, width: null, height: null }
  return runTask<AssetInspection>({ kind: 'asset', path, contentType }, signal, limitResult, limits)
}

/** Returns the family of an audio file; null for any other file and for a file that exceeds the limits. */
export const detectFamilyInChild = (path: string, signal: AbortSignal) =>
  runTask<MediaFamily | null>({ kind: 'family', path, contentType: '' }, signal, null, {})
