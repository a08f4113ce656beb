import { failAnalysis } from '#db/queries/analysis-outcomes.ts'
import { findMediaDispatch, listOverdueDispatches } from '#db/queries/media-dispatches.ts'
import {
  deleteObjectRemovals,
  lockDueObjectRemovals,
  scheduleObjectRemoval,
} from '#db/queries/object-removals.ts'
import { expireUploads, finalizableSince } from '#db/queries/uploads.ts'
import type { JobPorts } from './ports.ts'

const silenceMs = 3_600_000
// Few enough that the store has removed them before the database gives up on the transaction.
const atOnce = 10

const timedOut = { code: 'analysis_timed_out', message: 'The analysis service has not answered in time.' }

const expireOverdueUploads = (ports: JobPorts) =>
  ports.db.tx(async (tx) => {
    const now = ports.clock.now()
    const expired = await expireUploads(tx, finalizableSince(now), atOnce)
    for (const { uploadKey } of expired) await scheduleObjectRemoval(tx, uploadKey, now.toISOString())
    return expired.length
  })

const removeDueObjects = ({ db, storage }: JobPorts) =>
  db.tx(async (tx) => {
    const keys = (await lockDueObjectRemovals(tx, atOnce)).map(({ storageKey }) => storageKey)
    if (keys.length === 0) return 0
    await Promise.all(keys.map((key) => storage.remove(key)))
    await deleteObjectRemovals(tx, keys)
    return keys.length
  })

const failSilentDispatches = async (ports: JobPorts) => {
  const since = new Date(ports.clock.now().valueOf() - silenceMs).toISOString()
  const silent = await listOverdueDispatches(ports.db.read, since, atOnce)
  for (const { id } of silent)
    await ports.db.tx(async (tx) => failAnalysis(tx, await findMediaDispatch(tx, id), timedOut))
  return silent.length
}

/** Does what no request asks for: ends what was abandoned and removes what nothing refers to. */
export const sweep = async (ports: JobPorts) => {
  for (const clear of [expireOverdueUploads, removeDueObjects, failSilentDispatches])
    while ((await clear(ports)) === atOnce);
}
