import { stat } from 'node:fs/promises'
import type { AudioAnalysis } from './analyse-audio.ts'
import { type AnalysisLimits, limitsForFile } from './analysis-limits.ts'
import type { AssetInspection } from './inspect-asset.ts'
import { limitFailure } from './limit-exceeded.ts'
import type { MediaFamily } from './media-family.ts'
import { type AnalysisTask, runChild } from './run-child.ts'

// What a child of ours answers is what its own function returned.
const asAnswer = <T>(answer: unknown) => answer as T

const ask = async <T>(
  question: AnalysisTask,
  signal: AbortSignal,
  failed: T,
  limits: Partial<AnalysisLimits>,
) => {
  // What is wrong with a file that cannot be opened, the child finds out.
  const size = await stat(question.path).then(
    (found) => found.size,
    () => 0,
  )
  const outcome = await runChild(question, { ...limitsForFile(size), ...limits }, signal)
  // The same file would need as much once more: this is its result, not an error that the queue retries.
  return outcome.limit === null ? asAnswer<T>(outcome.answer) : failed
}

export const analyseAudioInChild = (
  path: string,
  contentType: string,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
) => ask<AudioAnalysis>({ task: 'audio', path, contentType }, signal, { failure: limitFailure }, limits)

export const inspectAssetInChild = (
  path: string,
  contentType: string,
  signal: AbortSignal,
  limits: Partial<AnalysisLimits> = {},
) => {
  const failed: AssetInspection = { failure: limitFailure, width: null, height: null }
  return ask<AssetInspection>({ task: 'asset', path, contentType }, signal, failed, limits)
}

/** The family of an audio file; null for anything else, a file that exceeds the limits included. */
export const detectFamilyInChild = (path: string, signal: AbortSignal) =>
  ask<MediaFamily | null>({ task: 'family', path, contentType: '' }, signal, null, {})
