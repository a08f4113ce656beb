import { platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { allowReading, startChild } from '#shared/processes/child-process.ts'
import type { ProcessUsage } from '#shared/processes/process-usage.ts'
import { analysisCode, analysisProgram } from '#shared/run-time-files.ts'
import { RetryLaterError } from '../retry-later-error.ts'
import type { ProcessLimits } from './analysis-limits.ts'
import { type ExceededLimit, isCrash, superviseProcess } from './supervise-process.ts'
import { childExitCodes } from './system-error.ts'

export interface AnalysisTask {
  readonly kind: 'audio' | 'asset' | 'family'
  readonly path: string
  readonly contentType: string
  readonly hasDecoder: boolean
}

type ChildOutcome = { readonly usage: Pick<ProcessUsage, 'peakMemoryBytes' | 'cpuMs'> } & (
  | { readonly limit: null; readonly result: unknown }
  | { readonly limit: ExceededLimit }
)

export class AnalysisCrashError extends Error {
  override name = 'AnalysisCrashError'
}

const createExitError = (code: number | null, signal: NodeJS.Signals | null) => {
  const message = `the analysis process exited with ${signal ?? code}`
  return code === childExitCodes.taskFailed || isCrash(signal)
    ? new AnalysisCrashError(message)
    : new RetryLaterError('analyser_unavailable', message)
}

/**
 * It may read the code and that file, but not write, start processes or threads, or load native code. From Node 25 on
 * it has no network either.
 */
export const createChildPermissions = (inputPath: string) => [
  '--permission',
  ...analysisCode.flatMap(allowReading),
  `--allow-fs-read=${inputPath}`,
]

const startAnalysis = (inputPath: string) =>
  startChild({
    args: ['--max-old-space-size=192', ...createChildPermissions(inputPath), fileURLToPath(analysisProgram)],
    // The child needs only the file's path, and must not inherit this process's secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // Ctrl-C in the terminal should signal only this process, which releases the job in time, and not the child.
    detached: platform !== 'win32',
  })

/**
 * Runs a task in a child process under limits. The process is supervised, because V8's heap limit does not cover typed
 * arrays and Node does not start under an address space limit. Throws `AnalysisCrashError` if the child crashes, and
 * `RetryLaterError` if it cannot start or something else kills it.
 */
export const runChild = async (
  task: AnalysisTask,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<ChildOutcome> => {
  signal.throwIfAborted()
  const child = startAnalysis(task.path)
  const supervised = superviseProcess(child, limits, signal)
  try {
    // Without file descriptors, there is no channel to send the task on.
    child.process?.send?.(task)
    const result = await child.firstMessage
    const exit = await supervised.waitForExit()
    const usage = supervised.usage()
    if (result) return { limit: null, usage, result: result.value }
    // V8 aborts with SIGABRT when its heap is full.
    const limit = exit.limit ?? (exit.signal === 'SIGABRT' ? 'memory' : null)
    if (limit) return { limit, usage }
    signal.throwIfAborted()
    throw createExitError(exit.code, exit.signal)
  } finally {
    await supervised.close()
  }
}
