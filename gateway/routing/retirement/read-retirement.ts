import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import {
  countRollbacks,
  findClientUsage,
  findCoreUsageStart,
  findLastDrill,
  findShareChangeTime,
  sumNativeRequests,
} from '#db/queries/retirement.ts'
import {
  type CompletedDrill,
  type RetirementFacts,
  retirementDays,
} from '#migration/routing/retirement/retirement-conditions.ts'
import { scopesOf } from '#migration/routing/route-scope.ts'
import { DrillState } from '#migration/routing/stored-state.ts'

const dayMs = 24 * 60 * 60_000

const parseTime = (time: string | null) => (time === null ? null : Date.parse(time))

const readDrill = async (
  db: Reader,
  label: Label,
  nativeSince: number | null,
  since: number,
): Promise<CompletedDrill | null> => {
  const found = await findLastDrill(db, label)
  const { data: ended } = DrillState.safeParse(found?.end.before)
  if (!found || !ended) return null
  const startedAt = Date.parse(found.start.at)
  const endedAt = Date.parse(ended.drillUntil)
  // A route that was moved since has to be tried again.
  if (endedAt < since || (nativeSince !== null && startedAt < nativeSince)) return null
  const { requests, failures } = await sumNativeRequests(db, label, found.start.at, ended.drillUntil)
  return { startedAt, endedAt, evidenceKey: ended.evidenceKey, nativeRequests: requests, failures }
}

/** Reads what the conditions of a retirement are decided on. `now` is in milliseconds since the epoch of Unix. */
export const readRetirement = async (db: Reader, label: Label, now: number): Promise<RetirementFacts> => {
  const since = now - retirementDays * dayMs
  const nativeSince = parseTime(await findShareChangeTime(db, scopesOf(label)))
  const usage = await findClientUsage(db, label)
  return {
    now,
    nativeSince,
    recordedSince: parseTime(await findCoreUsageStart(db)),
    stops: await countRollbacks(db, label, new Date(since).toISOString()),
    clientRequests: usage.requests,
    lastClientRequestAt: parseTime(usage.lastAt),
    drill: await readDrill(db, label, nativeSince, since),
  }
}
