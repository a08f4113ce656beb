import type { Log } from '#gateway/observability/log.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import { createChildProgram } from './child-program.ts'
import { type ComparisonResult, type ComparisonTask, parseComparisonResult } from './comparison-tasks.ts'
import type { ChildLimits } from './spawn-child.ts'
import { createSupervisedChild } from './supervised-child.ts'

interface ComparerOptions {
  readonly settings: Settings
  /** Called for the first task, because the gateway's address is known only once it is listening. */
  readonly listeningUrl: () => string
  readonly log: Pick<Log, 'warn'>
  readonly limits?: Partial<ChildLimits>
  /** A module with the export `handlers`. Defaults to the native routes. */
  readonly handlersModule?: URL | undefined
}

/** Half of the child's queue. The other half is for copies that are still in progress, and for confirmations. */
const maxPending = 32

export type Comparer = ReturnType<typeof createComparer>

/**
 * Compares native and core responses in a child process. The first task starts the process; it ends when it exceeds a
 * limit or has been idle for a while. It can read the database but write nothing.
 */
export const createComparer = ({
  settings,
  listeningUrl,
  log,
  limits = {},
  handlersModule,
}: ComparerOptions) => {
  const pending = new Map<ComparisonTask, (result: ComparisonResult) => void>()
  let hasWarned = false
  let isClosed = false

  const complete = (task: ComparisonTask, result: ComparisonResult) => {
    pending.get(task)?.(result)
    pending.delete(task)
  }

  const warnOfReplica = (result: ComparisonResult) => {
    if (hasWarned || result.kind !== 'not_comparable' || result.reason !== 'replica') return
    hasWarned = true
    log.warn({}, 'shadow database is a replica, comparisons skipped')
  }

  const createChild = () =>
    createSupervisedChild<ComparisonTask, ComparisonResult>({
      ...createChildProgram(settings, listeningUrl(), handlersModule),
      parseResult: parseComparisonResult,
      onResult(task, result) {
        warnOfReplica(result)
        complete(task, result)
      },
      onDrop: (task, reason) => complete(task, { kind: 'dropped', reason }),
      log,
      limits,
    })
  let child: ReturnType<typeof createChild> | null = null

  return {
    /** A task without a result resolves as `dropped`. Rejects only if the program's files cannot be found. */
    async compare(task: ComparisonTask): Promise<ComparisonResult> {
      if (isClosed) return { kind: 'dropped', reason: 'closed' }
      child ??= createChild()
      const { offer } = child
      return new Promise((resolve) => {
        // Copied, because `pending` needs two keys if the same task is compared twice at the same time.
        const own = { ...task }
        pending.set(own, resolve)
        offer(own)
      })
    },
    /** Whether a task passed now would be processed soon instead of being dropped for a newer one. */
    hasCapacity: () => pending.size < maxPending,
    pid: () => child?.pid() ?? null,
    async close() {
      isClosed = true
      await child?.close()
    },
  }
}
