import type { Log } from '#gateway/observability/log.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import type { ChildLimits } from './child-limits.ts'
import { createChildProgram } from './child-program.ts'
import { type ComparisonResult, type ComparisonTask, parseComparisonResult } from './comparison-tasks.ts'
import { createSupervisedChild } from './supervised-child.ts'

interface ComparerOptions {
  readonly settings: Settings
  /** The base URL of the service where `PUBLIC_BASE_URL` is not set, without a trailing slash. */
  readonly listeningUrl: string
  readonly log: Pick<Log, 'warn'>
  readonly limits?: Partial<ChildLimits>
  /** A module with the export `handlers`; defaults to the native routes. */
  readonly handlersModule?: URL
}

export interface Comparer {
  /** Never rejects: a task without a result is `dropped`. */
  compare(task: ComparisonTask): Promise<ComparisonResult>
  /** The id of the child process; null while none runs. */
  pid(): number | null
  /** Ends the child process; all comparisons are dropped. */
  close(): Promise<void>
}

/**
 * Compares responses of native and the core in one child process, which is started by the first task and ended when it
 * exceeds a limit or has had no task for a while. It can read the database, and write nothing.
 */
export const createComparer = ({
  settings,
  listeningUrl,
  log,
  limits = {},
  handlersModule,
}: ComparerOptions): Comparer => {
  const pending = new Map<ComparisonTask, (result: ComparisonResult) => void>()
  let hasWarned = false

  const complete = (task: ComparisonTask, result: ComparisonResult) => {
    pending.get(task)?.(result)
    pending.delete(task)
  }

  const warnOfReplica = (result: ComparisonResult) => {
    if (hasWarned || result.kind !== 'not_comparable' || result.reason !== 'replica') return
    hasWarned = true
    log.warn({}, 'shadow database is a replica, comparing nothing')
  }

  const child = createSupervisedChild<ComparisonTask, ComparisonResult>({
    ...createChildProgram(settings, listeningUrl, handlersModule),
    parseResult: parseComparisonResult,
    onResult(task, result) {
      warnOfReplica(result)
      complete(task, result)
    },
    onDrop: (task, reason) => complete(task, { kind: 'dropped', reason }),
    log,
    limits,
  })

  return {
    compare: (task) =>
      new Promise((resolve) => {
        // The same task may be compared twice concurrently.
        const own = { ...task }
        pending.set(own, resolve)
        child.offer(own)
      }),
    pid: () => child.pid(),
    close: () => child.close(),
  }
}
