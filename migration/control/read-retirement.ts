import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { findForwardedKeys } from '#db/queries/idempotency-keys.ts'
import {
  countRollbacks,
  findClientUsage,
  findCoreUsageStart,
  findWeightChangeTime,
  listDrills,
  sumNativeRequests,
} from '#db/queries/routing/retirement.ts'
import { findDatabaseTimeMs } from '#db/queries/statement-timestamp.ts'
import { dayMs } from '#shared/durations.ts'
import {
  type CompletedDrill,
  isLongDrill,
  type RetirementFacts,
  retirementDays,
} from '../model/retirement.ts'
import { scopesOf } from '../model/route-scope.ts'
import { DrillState } from '../model/stored-state.ts'

const parseTime = (time: string | null) => (time === null ? null : Date.parse(time))

/** Returns the time by the clock that all instances share, or by `now` if given, in Unix milliseconds. */
export const readTime = async (db: Reader, now?: () => number): Promise<number> =>
  now ? now() : findDatabaseTimeMs(db)

/** Returns the last drill since `since` that was long enough; if there is none, the last drill of any length. */
const readDrill = async (db: Reader, label: Label, since: number): Promise<CompletedDrill | null> => {
  const stored = await listDrills(db, label, new Date(since).toISOString())
  const drills = stored.flatMap(({ start, end }) => {
    const [started, ended] = [DrillState.safeParse(start.after).data, DrillState.safeParse(end.before).data]
    if (!started || !ended) return []
    const endedAt = Math.min(Date.parse(ended.drillUntil), Date.parse(end.at))
    // If the keys differ, the code changed during the drill.
    const evidenceKey = started.evidenceKey === end.evidenceKey ? started.evidenceKey : null
    return [{ startedAt: Date.parse(start.at), endedAt, evidenceKey }]
  })
  const drill = drills.findLast(isLongDrill) ?? drills.at(-1)
  if (!drill) return null
  const { requests, failures } = await sumNativeRequests(
    db,
    label,
    new Date(drill.startedAt).toISOString(),
    new Date(drill.endedAt).toISOString(),
  )
  return { ...drill, nativeRequests: requests, failures }
}

export const readRetirement = async (db: Reader, label: Label, now: number): Promise<RetirementFacts> => {
  const since = now - retirementDays * dayMs
  const nativeSince = parseTime(await findWeightChangeTime(db, scopesOf(label)))
  const usage = await findClientUsage(db, label)
  const forwarded = await findForwardedKeys(db, label, new Date(now).toISOString())
  return {
    now,
    nativeSince,
    recordedSince: parseTime(await findCoreUsageStart(db)),
    stops: await countRollbacks(db, label, new Date(since).toISOString()),
    clientRequests: usage.requests,
    lastClientRequestAt: parseTime(usage.lastAt),
    forwardedKeys: forwarded.keys,
    forwardedKeysUntil: parseTime(forwarded.lastExpiresAt),
    // If a route has moved since its drill, it needs a new drill.
    drill: await readDrill(db, label, Math.max(since, nativeSince ?? 0)),
  }
}
