import type { Label } from '#contracts/route-table.ts'
import type { Queryable } from '#db/client/connection.ts'
import { saveEvidenceCounts } from '#db/queries/evidence/evidence-counts.ts'
import { saveRouteUsage } from '#db/queries/routing/route-usage.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog } from '#gateway/observability/log.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { type AccountSample, addAccount } from '../../model/gate/account-sample.ts'
import { noComparisonSums } from '../../model/gate/comparison-sums.ts'
import { createDailyTallies } from '../daily-tallies.ts'
import { type RecorderOptions, startPeriodicWriter } from '../periodic-work.ts'
import { createMismatchBuffer } from './mismatch-buffer.ts'

/** `not_comparable` does not count as a comparison. */
type ComparisonOutcome = 'equal' | 'regression' | 'critical' | 'transient' | 'not_comparable'

interface CountedComparison {
  readonly label: Label
  readonly evidenceKey: string
  readonly coreStatus: number
  /** Hash of the account or link that the request was for; null if there is none. */
  readonly subject: string | null
  /** Which of the contract's shapes the request and the core's response have. */
  readonly shapes: readonly string[]
  /**
   * Whether this is the account's vote for this request shape. Any other comparison counts only towards coverage,
   * unless it finds a leak.
   */
  readonly isIndependent: boolean
  readonly outcome: ComparisonOutcome
}

type OnCounted = (label: Label, outcome: ComparisonOutcome | 'dropped') => void

interface UsageTally {
  readonly statuses: Record<string, number>
  readonly shapes: Record<string, number>
  accounts: AccountSample
}

const createUsageTally = (): UsageTally => ({ statuses: {}, shapes: {}, accounts: [] })

const createComparisonTally = () => ({ ...noComparisonSums, ...createUsageTally() })

const increment = (counts: Record<string, number>, key: string | number) => {
  counts[key] = (counts[key] ?? 0) + 1
}

const addResponse = (
  tally: UsageTally,
  status: number,
  subject: string | null,
  shapes: readonly string[],
) => {
  increment(tally.statuses, status)
  for (const shape of shapes) increment(tally.shapes, shape)
  // Only successful responses count, because a client could request any number of links that do not exist.
  if (subject !== null && status < 400) tally.accounts = addAccount(tally.accounts, subject)
}

// Separated by a space, which neither labels nor evidence keys contain.
const idOf = (label: Label, evidenceKey: string) => `${label} ${evidenceKey}`
const parseId = (id: string) => {
  const [label = '', evidenceKey = ''] = id.split(' ')
  return { label, evidenceKey }
}

const createComparisonCounts = (instanceId: string, onCounted: OnCounted) => {
  const compared = createDailyTallies(createComparisonTally)
  const used = createDailyTallies(createUsageTally)
  const changeCompared = (label: Label, evidenceKey: string) => compared.change(idOf(label, evidenceKey))
  return {
    countCopy(label: Label, evidenceKey: string) {
      const tally = changeCompared(label, evidenceKey)
      if (tally) tally.copies += 1
    },

    countDrop(label: Label, evidenceKey: string) {
      onCounted(label, 'dropped')
      const tally = changeCompared(label, evidenceKey)
      if (tally) tally.drops += 1
    },

    /** Only a vote counts for the sequential test, but a leak always counts. */
    record({ label, evidenceKey, coreStatus, subject, shapes, isIndependent, outcome }: CountedComparison) {
      onCounted(label, outcome)
      const tally = changeCompared(label, evidenceKey)
      if (tally === null) return
      if (outcome === 'critical') tally.critical += 1
      if (outcome === 'not_comparable') {
        tally.notComparable += 1
        return
      }
      addResponse(tally, coreStatus, subject, shapes)
      if (!isIndependent) {
        tally.repeated += 1
        return
      }
      tally.comparisons += 1
      if (outcome === 'regression' || outcome === 'critical') tally.regressions += 1
      if (outcome === 'transient') tally.transients += 1
    },

    /** Records a core response on a route that can be shadowed, whether or not it is compared. */
    recordUsage(label: Label, status: number, subject: string | null, shapes: readonly string[]) {
      const tally = used.change(label)
      if (tally) addResponse(tally, status, subject, shapes)
    },

    /** Writes the changes. If that fails, it rejects and the next call tries again. */
    async write(db: Queryable, today: string) {
      await compared.write(today, (rows) =>
        saveEvidenceCounts(
          db,
          rows.map(({ id, day, tally }) => ({ ...parseId(id), instanceId, day, ...tally })),
        ),
      )
      await used.write(today, (rows) =>
        saveRouteUsage(
          db,
          rows.map(({ id, day, tally }) => ({ label: id, instanceId, day, ...tally })),
        ),
      )
    },
  }
}

const defaultWriteIntervalMs = 5000

export type ComparisonRecorder = ReturnType<typeof startComparisonRecorder>

/** Stores what this instance's comparisons find. Records in memory and writes every five seconds. */
export const startComparisonRecorder = ({
  db,
  instanceId,
  log,
  writeIntervalMs = defaultWriteIntervalMs,
  onCounted = () => {},
}: RecorderOptions & { readonly writeIntervalMs?: number | undefined; readonly onCounted?: OnCounted }) => {
  const counts = createComparisonCounts(instanceId, onCounted)
  const mismatches = createMismatchBuffer()
  const logThrottled = createThrottledLog(log)
  let hasChanged = false

  const writeAll = async () => {
    // All instances share the database's clock, because a machine's own clock may be wrong.
    await counts.write(db, formatDay(await findDatabaseTimeMs(db)))
    await mismatches.write(db)
  }
  const write = async () => {
    if (!hasChanged) return
    hasChanged = false
    await writeAll().catch((error) => {
      hasChanged = true
      logThrottled(error, 'failed to write comparisons')
    })
  }

  const { close } = startPeriodicWriter({ work: 'comparisons', write, writeIntervalMs })

  const changing =
    <A extends readonly unknown[]>(record: (...args: A) => void) =>
    (...args: A) => {
      hasChanged = true
      record(...args)
    }

  return {
    countCopy: changing(counts.countCopy),
    countDrop: changing(counts.countDrop),
    record: changing(counts.record),
    recordMismatch: changing(mismatches.record),
    recordUsage: changing(counts.recordUsage),
    close,
  }
}
