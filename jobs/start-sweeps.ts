import type { Queryable } from '#db/client/connection.ts'
import { deleteExpiredIdempotencyKeys } from '#db/queries/idempotency-keys.ts'
import { findMediaDispatch, listOverdueDispatches } from '#db/queries/media/media-dispatches.ts'
import {
  deleteObjectRemovals,
  lockDueObjectRemovals,
  postponeObjectRemovals,
  scheduleObjectRemoval,
} from '#db/queries/media/object-removals.ts'
import { expireUploads, getFinalizationCutoff } from '#db/queries/media/uploads.ts'
import { deleteExpiredPackLinkAdmissions } from '#db/queries/packs/pack-link-admissions.ts'
import { failAnalysis, lockUnfinishedDispatch } from '#db/queries/processing/analysis-outcomes.ts'
import { deleteOldConsoleSignOuts } from '#db/queries/routing/console-sign-outs.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { hourMs } from '#shared/durations.ts'
import { reconcileNightly } from './billing/reconcile.ts'
import { reportSales } from './billing/report-sales.ts'
import { audioUrlTtlS } from './dispatch-analysis.ts'
import type { JobPorts } from './ports.ts'
import { createHourlyEventRetention, createHourlyThreadRetention } from './retention.ts'

// The service may fetch the audio until its URL expires, and then needs time to analyse it.
const dispatchTimeoutMs = audioUrlTtlS * 1000 + hourMs
// Small enough for the store to remove a batch before the transaction times out.
const batchSize = 10
const admissionsPerStatement = 1000
const keysPerStatement = 500

const timedOut = { code: 'analysis_timed_out', message: 'The analysis service did not respond in time.' }

// By the database's clock: one worker sweeps for all, and a fast clock would end what is still in progress.
const expireOverdueUploads = ({ db }: JobPorts) =>
  db.tx(async (tx) => {
    const now = new Date(await findDatabaseTimeMs(tx))
    const expired = await expireUploads(tx, getFinalizationCutoff(now), batchSize)
    for (const { uploadKey } of expired) await scheduleObjectRemoval(tx, uploadKey, now.toISOString())
    return expired.length
  })

const tryRemove = (key: string, { remove }: JobPorts['storage']) =>
  remove(key).then(
    () => ({ key, error: null }),
    (error: unknown) => ({ key, error }),
  )

const keysOf = (removals: readonly { readonly key: string }[]) => removals.map(({ key }) => key)

const isReachable = (key: string, { find }: JobPorts['storage']) =>
  find(key).then(
    () => true,
    () => false,
  )

// The store may refuse to remove an object, for example one under a legal hold. Such a removal is tried again an hour
// later, so it does not hold up the others. During an outage of the store, all are tried again with the next sweep.
const removeDueObjects = async ({ db, storage }: JobPorts) => {
  const removals = await db.tx(async (tx) => {
    const due = await lockDueObjectRemovals(tx, batchSize)
    const tried = await Promise.all(due.map(({ storageKey }) => tryRemove(storageKey, storage)))
    await deleteObjectRemovals(tx, keysOf(tried.filter(({ error }) => error === null)))
    return tried
  })
  const rejected = removals.filter(({ error }) => error !== null)
  const [first] = rejected
  if (!first) return removals.length
  if (await isReachable(first.key, storage)) await db.tx((tx) => postponeObjectRemovals(tx, keysOf(rejected)))
  throw first.error
}

// A callback may have arrived since the dispatch was listed. If it brought stems, the dispatch is still unfinished.
const failIfOverdue = async (tx: Queryable, dispatchId: string, before: string) => {
  const listed = await findMediaDispatch(tx, dispatchId)
  const locked = listed && (await lockUnfinishedDispatch(tx, listed))
  if (locked && locked.updatedAt < before) await failAnalysis(tx, locked, timedOut)
}

const failOverdueDispatches = async ({ db }: JobPorts) => {
  const before = new Date((await findDatabaseTimeMs(db.read)) - dispatchTimeoutMs).toISOString()
  const overdue = await listOverdueDispatches(db.read, before, batchSize)
  for (const { id } of overdue) await db.tx((tx) => failIfOverdue(tx, id, before))
  return overdue.length
}

const deleteExpiredAdmissions = ({ db }: JobPorts) =>
  db.tx((tx) => deleteExpiredPackLinkAdmissions(tx, admissionsPerStatement))

const deleteExpiredKeys = ({ db }: JobPorts) =>
  db.tx((tx) => deleteExpiredIdempotencyKeys(tx, keysPerStatement))

const deleteOldSignOuts = ({ db }: JobPorts) => db.tx(deleteOldConsoleSignOuts)

// Each with its batch size. After a full batch, there may be more to do.
const sweeps = [
  [expireOverdueUploads, batchSize],
  [removeDueObjects, batchSize],
  [failOverdueDispatches, batchSize],
  [deleteExpiredAdmissions, admissionsPerStatement],
  [deleteExpiredKeys, keysPerStatement],
  [deleteOldSignOuts, null],
] as const

/** One failure does not stop the rest; throws all errors at the end. Begins no batch once `signal` is aborted. */
const sweep = async (ports: JobPorts, signal: AbortSignal) => {
  const errors: unknown[] = []
  for (const [sweepBatch, size] of sweeps) {
    try {
      while (!signal.aborted && (await sweepBatch(ports)) === size);
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'sweep failed', { cause: errors[0] })
}

export const startSweeps = (
  ports: JobPorts,
  isSupervisor: () => boolean,
  onError: (error: unknown) => void,
  intervalMs = 30_000,
) => {
  const stopping = new AbortController()
  const { signal } = stopping
  let sweeping: Promise<void> = Promise.resolve()
  let billing: Promise<void> = Promise.resolve()
  let retention: Promise<void> = Promise.resolve()
  const deleteExpiredEvents = createHourlyEventRetention()
  const deleteEndedThreads = createHourlyThreadRetention()
  const timer = setInterval(() => {
    if (!isSupervisor()) return
    sweeping = sweeping.then(() => sweep(ports, signal)).catch(onError)
    billing = billing
      .then(() => reportSales(ports, signal))
      .then(() => reconcileNightly(ports, signal))
      .catch(onError)
    retention = retention
      .then(() => deleteExpiredEvents(ports, signal))
      .catch(onError)
      .then(() => deleteEndedThreads(ports, signal))
      .catch(onError)
  }, intervalMs)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.all([sweeping, billing, retention])
    },
  }
}
