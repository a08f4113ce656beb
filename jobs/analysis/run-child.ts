import { fork } from 'node:child_process'
import { analysisProgram } from '#shared/run-time-files.ts'
import { RetryLaterError } from '../retry-later-error.ts'
import type { AnalysisLimits } from './analysis-limits.ts'
import { childExitCodes } from './child-exit-codes.ts'
import { createChildPermissions } from './child-permissions.ts'
import type { ProcessUsage } from './process-usage.ts'
import { isCrash, type ProcessExit, superviseProcess } from './supervise-process.ts'
import type { ExceededLimit } from './watch-process.ts'

/** The task of a child process for one file. */
export interface AnalysisTask {
  readonly kind: 'audio' | 'asset' | 'family'
  readonly path: string
  readonly contentType: string
  /** Whether an external decoder decodes the audio that the child cannot. */
  readonly hasDecoder: boolean
}

/** The outcome of a child process: its result, or the limit that it exceeded. */
type ChildOutcome = { readonly usage: ProcessUsage } & (
  | { readonly limit: null; readonly result: unknown }
  | { readonly limit: ExceededLimit }
)

/** The child process crashed while it worked on the file. */
export class AnalysisCrashError extends Error {
  override name = 'AnalysisCrashError'
}

const createExitError = ({ code, reason }: ProcessExit) => {
  const message = `the analysis process exited with ${reason ?? code}`
  return code === childExitCodes.taskFailed || isCrash(reason)
    ? new AnalysisCrashError(message)
    : new RetryLaterError('analyser_unavailable', message)
}

const startChild = (inputPath: string) =>
  fork(analysisProgram, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // The child needs only the path of the file. It must not inherit the secrets of this process.
    env: {},
    execArgv: ['--max-old-space-size=192', ...createChildPermissions(inputPath)],
  })

/**
 * Runs a task in a child process and enforces the limits. Throws `AnalysisCrashError` if the process crashes, and
 * `RetryLaterError` if it cannot be started or something else than its limits kills it. The heap limit of V8 does not cover
 * typed arrays, and Node does not start under an address space limit, so the child is supervised.
 */
export const runChild = async (
  task: AnalysisTask,
  limits: AnalysisLimits,
  signal: AbortSignal,
): Promise<ChildOutcome> => {
  signal.throwIfAborted()
  const child = startChild(task.path)
  const supervised = superviseProcess(child, limits, signal)
  const received: unknown[] = []
  child.once('message', (result) => received.push(result))
  try {
    child.send(task)
    const exit = await supervised.exited
    const usage = supervised.usage()
    // V8 aborts the process with SIGABRT when its heap is full.
    const limit = supervised.exceededLimit() ?? (exit.reason === 'SIGABRT' ? 'memory' : null)
    if (received.length > 0) return { limit: null, usage, result: received[0] }
    if (limit) return { limit, usage }
    signal.throwIfAborted()
    throw createExitError(exit)
  } finally {
    await supervised.close()
  }
}
