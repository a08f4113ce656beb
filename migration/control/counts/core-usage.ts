// Optimized, because `record` runs for each request that the core serves.
import type { Label } from '#contracts/route-table.ts'
import type { Database, Queryable } from '#db/client/connection.ts'
import {
  continueCoreUsageRecord,
  foldCoreUsage,
  saveCoreUsage,
  saveUnmatchedUsage,
} from '#db/queries/routing/core-usage.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { createThrottledLog } from '#gateway/observability/log.ts'
import type { RequestContext, RequestOutcome } from '#gateway/request/context.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { shapeOfPath } from '../../model/usage/path-shape.ts'
import { type CoreCause, coreCauses } from '../../model/usage/summarize-usage.ts'
import { createDailyTallies } from '../daily-tallies.ts'
import { inBatches, type RecorderOptions, startPeriodicWriter } from '../periodic-work.ts'

type Tally = Record<CoreCause, number>

const createTally = (): Tally => ({
  state: 0,
  bucket: 0,
  override: 0,
  killed: 0,
  stale: 0,
  breaker: 0,
  fallback: 0,
  shadow: 0,
})

const causeOfReason = {
  static: 'state',
  split: 'bucket',
  targeting_match: 'override',
  disabled: 'killed',
  stale: 'stale',
  breaker: 'breaker',
} as const satisfies Record<RequestOutcome['reason'], CoreCause>

const causeOf = ({ reason, fallbackReason }: RequestOutcome): CoreCause =>
  fallbackReason === null || fallbackReason === 'breaker' ? causeOfReason[reason] : 'fallback'

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const maxShapes = 200

/** Counts the core's requests by route and cause, and those for unmatched paths by shape, up to 200 shapes. */
export const createCoreUsage = (instanceId: string) => {
  const byLabel = createDailyTallies(createTally)
  const byShape = createDailyTallies(() => ({ requests: 0 }))
  // Contains only shapes that the core served successfully, because scanners request paths that do not exist.
  const shapes = new Set<string>()

  const recordUnmatched = (method: string, path: string, status: number) => {
    const id = `${methods.has(method) ? method : 'OTHER'} ${shapeOfPath(path)}`
    if (!shapes.has(id)) {
      if (status >= 400 || shapes.size >= maxShapes) return
      shapes.add(id)
    }
    const tally = byShape.change(id)
    if (tally) tally.requests += 1
  }

  return {
    record({ outcome, method, path }: Pick<RequestContext, 'outcome' | 'method' | 'path'>, status: number) {
      if (outcome.runtime !== 'proxy') return
      const tally = byLabel.change(outcome.label)
      if (tally) tally[causeOf(outcome)] += 1
      if (outcome.label === 'unmatched') recordUnmatched(method, path, status)
    },

    /** Counts requests that the gateway itself sends to the core. */
    recordAsked(label: Label, requests: number) {
      const tally = byLabel.change(label)
      if (tally) tally.shadow += requests
    },

    /** If this fails, it rejects and the next call tries again. */
    async write(db: Queryable, today: string) {
      await byLabel.write(today, (rows) =>
        saveCoreUsage(
          db,
          rows.flatMap(({ id: label, day, tally }) =>
            coreCauses
              .filter((cause) => tally[cause] > 0)
              .map((cause) => ({ label, cause, day, instanceId, requests: tally[cause] })),
          ),
        ),
      )
      await byShape.write(today, (rows) =>
        saveUnmatchedUsage(
          db,
          rows.map(({ id, day, tally: { requests } }) => {
            const [method = '', shape = ''] = id.split(' ')
            return { method, shape, day, instanceId, requests }
          }),
        ),
      )
    },
  }
}

const batch = 500

/** Moves counts older than 15 days into the totals, in batches. Does nothing while another instance is doing so. */
export const retainCoreUsage = async (db: Database['db']): Promise<void> => {
  await inBatches(batch, () => db.transaction((tx) => foldCoreUsage(tx, batch)))
}

export const startCoreUsage = ({ db, instanceId, log }: RecorderOptions) => {
  const usage = createCoreUsage(instanceId)
  const logThrottled = createThrottledLog(log)

  const write = async () => {
    try {
      await continueCoreUsageRecord(db)
      await usage.write(db, formatDay(await findDatabaseTimeMs(db)))
    } catch (error) {
      logThrottled(error, 'failed to write core usage')
    }
  }

  const retain = () =>
    retainCoreUsage(db).catch((error) => logThrottled(error, 'failed to delete old core usage'))
  const { close } = startPeriodicWriter({ work: 'core usage', write, retain })
  return { record: usage.record, recordAsked: usage.recordAsked, close }
}
