import type { Feature } from '#contracts/route-table.ts'
import type { Queryable, Reader } from '#db/connection.ts'

/** The account behind a verified access token. */
export interface Actor {
  readonly accountId: string
  readonly email: string | null
  readonly emailVerified: boolean
}

/** What an account's plan grants of one feature; `limit` is null where its use is not counted. */
export interface Entitlement {
  readonly feature: Feature
  readonly granted: boolean
  readonly limit: number | null
  readonly planId: string
  readonly status: string
}

/**
 * The only way to the database. Reads go through `read`; every write goes through `tx`, so that the gateway
 * knows at each moment whether an effect may have escaped.
 */
export interface DatabasePort {
  readonly read: Reader
  /** Runs `work` in one transaction: all of it is committed or, when it throws, none. */
  tx<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

export interface EntitlementPort {
  find(accountId: string, feature: Feature): Promise<Entitlement>
}

/** Calls that leave something behind outside the database run in here, for the same reason as `DatabasePort.tx`. */
export interface EffectPort {
  external<T>(call: () => Promise<T>): Promise<T>
}

export interface LogPort {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** What a handler may reach of the world. */
export interface Ports {
  readonly db: DatabasePort
  readonly entitlements: EntitlementPort
  readonly effects: EffectPort
  readonly clock: { now(): Date }
  readonly log: LogPort
}
