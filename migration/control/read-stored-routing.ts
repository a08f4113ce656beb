import { type Database, isTableMissing, type Reader } from '#db/client/connection.ts'
import { type LiveOverrideRow, listLiveOverrides } from '#db/queries/routing/account-overrides.ts'
import {
  findKeptEpoch,
  findLastRestore,
  findRoutingVersion,
  hasChange,
  restoreActions,
} from '#db/queries/routing/route-audit.ts'
import { listRouteStates } from '#db/queries/routing/route-states.ts'
import type { Log } from '#gateway/observability/log.ts'
import { mapWithoutBlocking } from '#shared/map-in-slices.ts'
import { defaultStateOf, parseAccountOverride, parseRouteState, readScope } from '../model/stored-state.ts'
import { readSnapshot } from './open-routing-database.ts'
import { emptyStoredRouting, isSameChange, type StoredRouting } from './routing-state.ts'

type AlarmLog = Pick<Log, 'error'>

// An unreadable row must not block changes to other routes. It could be a kill, so its scope keeps the last state that
// this instance has read, or counts as killed if there is none.
const parseStates = (rows: readonly unknown[], previous: StoredRouting | null, log: AlarmLog) =>
  rows
    .map((row) => {
      const parsed = parseRouteState(row)
      if (parsed) return parsed
      const scope = readScope(row)
      log.error({ table: 'route_state', ...(scope === null ? {} : { scope }) }, 'routing row rejected')
      if (scope === null) return null
      const known = previous?.states.find((state) => state.scope === scope)
      return known ?? { ...defaultStateOf(scope), killed: true }
    })
    .filter((state) => state !== null)

const parseOverrides = async (rows: readonly LiveOverrideRow[], log: AlarmLog) => {
  const parsed = await mapWithoutBlocking(rows, (row) => {
    const override = parseAccountOverride(row)
    if (override === null) log.error({ table: 'account_override' }, 'routing row rejected')
    return override
  })
  return parsed.filter((override) => override !== null)
}

const overridePageSize = 5000

// Reads in pages, so that converting the rows does not delay requests.
const readLiveOverrides = async (tx: Reader) => {
  const rows: LiveOverrideRow[] = []
  for (;;) {
    const page = await listLiveOverrides(tx, rows.at(-1) ?? null, overridePageSize)
    rows.push(...page)
    if (page.length < overridePageSize) return rows
  }
}

/**
 * Whether the database lacks a change that this instance has adopted. Becomes false once an instance with the same or a
 * later epoch has stored its kills, holds and stops in the database.
 */
export const isOlderThan = async (db: Reader, { epoch, changeId }: StoredRouting) =>
  changeId !== null && !(await hasChange(db, changeId)) && (await findKeptEpoch(db)) < epoch

const readAll = async (db: Database['db'], previous: StoredRouting | null, log: AlarmLog) => {
  const rows = await readSnapshot(db, async (tx) => {
    return {
      ...(await findRoutingVersion(tx)),
      isRestored: (await findLastRestore(tx))?.action === restoreActions.kept,
      isOlder: previous !== null && (await isOlderThan(tx, previous)),
      states: await listRouteStates(tx),
      overrides: await readLiveOverrides(tx),
    }
  })
  const { epoch, changeId, isRestored, isOlder } = rows
  const stored: StoredRouting = {
    epoch,
    changeId,
    isRestored,
    states: parseStates(rows.states, previous, log),
    overrides: await parseOverrides(rows.overrides, log),
  }
  return { stored, isOlder }
}

// Before the migrations have run, nothing is stored. If a table goes missing later, that is an error, so the state that
// was read before stays in force.
const findVersion = async (polled: Reader, previous: StoredRouting | null) => {
  try {
    return await findRoutingVersion(polled)
  } catch (error) {
    if (isTableMissing(error) && (previous ?? emptyStoredRouting).epoch === 0) return null
    throw error
  }
}

interface ReadOptions {
  /** Connection for reading the epoch and its change. */
  readonly polled: Reader
  /** Connection for reading the whole state. */
  readonly read: Database['db']
  readonly previous: StoredRouting | null
  /** Reads the state even if the epoch is unchanged, because the database may have been restored while it was down. */
  readonly mustRead: boolean
  /** Stores what must stay in force if the database was restored from an older backup, or throws. */
  readonly keepStops: (previous: StoredRouting) => Promise<void>
  readonly log: AlarmLog
}

/** Reads the whole routing state as of one moment; returns `previous` if it is unchanged. */
export const readChangedRouting = async ({
  polled,
  read,
  previous,
  mustRead,
  keepStops,
  log,
}: ReadOptions): Promise<StoredRouting> => {
  const present = await findVersion(polled, previous)
  if (present === null) return previous ?? emptyStoredRouting
  if (previous !== null && isSameChange(present, previous) && !mustRead) return previous
  const { stored, isOlder } = await readAll(read, previous, log)
  if (previous === null || !isOlder) return stored
  await keepStops(previous)
  return (await readAll(read, previous, log)).stored
}
