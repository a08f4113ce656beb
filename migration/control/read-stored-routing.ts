import { type Database, isTableMissing, type Reader } from '#db/client/connection.ts'
import { type LiveOverrideRow, listLiveOverrides } from '#db/queries/routing/account-overrides.ts'
import { findRoutingEpoch, listRouteStates } from '#db/queries/routing/route-states.ts'
import type { Log } from '#gateway/observability/log.ts'
import { mapWithoutBlocking } from '#shared/map-in-slices.ts'
import { defaultStateOf, parseAccountOverride, parseRouteState, readScope } from '../model/stored-state.ts'
import { emptyStoredRouting, type StoredRouting } from './routing-state.ts'

type AlarmLog = Pick<Log, 'error'>

const isPresent = <T>(item: T | null | undefined): item is T => item !== null && item !== undefined

// A row that makes no sense must not stop the changes of other routes from being adopted. It might be a kill, so that the
// route table is no substitute for the previous state.
const parseStates = (rows: readonly unknown[], previous: StoredRouting | null, log: AlarmLog) =>
  rows
    .map((row) => {
      const parsed = parseRouteState(row)
      if (parsed) return parsed
      const scope = readScope(row)
      log.error({ table: 'route_state', ...(scope === null ? {} : { scope }) }, 'routing row rejected')
      if (scope === null) return null
      if (previous === null) return { ...defaultStateOf(scope), killed: true }
      return previous.states.find((state) => state.scope === scope)
    })
    .filter(isPresent)

const parseOverrides = async (rows: readonly LiveOverrideRow[], log: AlarmLog) => {
  const parsed = await mapWithoutBlocking(rows, (row) => {
    const override = parseAccountOverride(row)
    if (override === null) log.error({ table: 'account_override' }, 'routing row rejected')
    return override
  })
  return parsed.filter(isPresent)
}

const overridePageSize = 5000

// In pages, so that converting the rows does not delay requests.
const readLiveOverrides = async (tx: Reader) => {
  const rows: LiveOverrideRow[] = []
  for (;;) {
    const page = await listLiveOverrides(tx, rows.at(-1) ?? null, overridePageSize)
    rows.push(...page)
    if (page.length < overridePageSize) return rows
  }
}

const readAll = async (db: Database['db'], previous: StoredRouting | null, log: AlarmLog) => {
  const rows = await db.transaction(
    async (tx) => ({
      epoch: await findRoutingEpoch(tx),
      states: await listRouteStates(tx),
      overrides: await readLiveOverrides(tx),
    }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return {
    epoch: rows.epoch,
    states: parseStates(rows.states, previous, log),
    overrides: await parseOverrides(rows.overrides, log),
  }
}

// Before the migrations nothing can be stored. A table that is missing later does not mean that its rows are deleted.
const findEpoch = async (polled: Reader, previous: StoredRouting | null) => {
  try {
    return await findRoutingEpoch(polled)
  } catch (error) {
    if (isTableMissing(error) && (previous ?? emptyStoredRouting).epoch === 0) return null
    throw error
  }
}

interface ReadOptions {
  /** Reads the epoch. */
  readonly polled: Reader
  /** Reads the whole state. */
  readonly read: Database['db']
  /** Null if none has been read yet. */
  readonly previous: StoredRouting | null
  /** Reads it also if the epoch is that of `previous`: the database may have been restored while it was unavailable. */
  readonly mustRead: boolean
  readonly log: AlarmLog
}

/**
 * Reads the whole routing state as of one moment; returns `previous` if that is it. A row that cannot be parsed is
 * reported; the previous state of its scope is kept, and without one the scope is killed. Nothing is stored in a database without tables.
 */
export const readChangedRouting = async ({
  polled,
  read,
  previous,
  mustRead,
  log,
}: ReadOptions): Promise<StoredRouting> => {
  const epoch = await findEpoch(polled, previous)
  if (epoch === null) return previous ?? emptyStoredRouting
  return epoch === previous?.epoch && !mustRead ? previous : readAll(read, previous, log)
}
