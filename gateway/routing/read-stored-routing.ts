import type { Database } from '#db/client/connection.ts'
import { listAccountOverrides } from '#db/queries/account-overrides.ts'
import { findRoutingEpoch, listRouteStates } from '#db/queries/route-states.ts'
import type { RouteState } from '#migration/routing/route-state.ts'
import { parseAccountOverride, parseRouteState, readScope } from '#migration/routing/stored-state.ts'
import type { Log } from '../observability/log.ts'
import type { StoredRouting } from './routing-state.ts'

type AlarmLog = Pick<Log, 'error'>

const isPresent = <T>(item: T | null | undefined): item is T => item !== null && item !== undefined

// A row that makes no sense must not stop the changes of other routes from being adopted.
const parseStates = (rows: readonly unknown[], previous: readonly RouteState[], log: AlarmLog) =>
  rows
    .map((row) => {
      const parsed = parseRouteState(row)
      if (parsed) return parsed
      const scope = readScope(row)
      log.error({ table: 'route_state', ...(scope === null ? {} : { scope }) }, 'routing row rejected')
      return previous.find((state) => state.scope === scope)
    })
    .filter(isPresent)

const parseOverrides = (rows: readonly unknown[], log: AlarmLog) =>
  rows
    .map((row) => {
      const parsed = parseAccountOverride(row)
      if (parsed === null) log.error({ table: 'account_override' }, 'routing row rejected')
      return parsed
    })
    .filter(isPresent)

/**
 * Reads the whole routing state as of one moment. A row that cannot be parsed is reported, and the previous state of its
 * scope is kept.
 */
export const readStoredRouting = async (
  { db }: Pick<Database, 'db'>,
  previous: StoredRouting,
  log: AlarmLog,
): Promise<StoredRouting> => {
  const rows = await db.transaction(
    async (tx) => ({
      epoch: await findRoutingEpoch(tx),
      states: await listRouteStates(tx),
      overrides: await listAccountOverrides(tx),
    }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return {
    epoch: rows.epoch,
    states: parseStates(rows.states, previous.states, log),
    overrides: parseOverrides(rows.overrides, log),
  }
}
