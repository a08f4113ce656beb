import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { supportsPreparedStatements } from '#db/client/prepared-statement-check.ts'
import { describeError } from '#shared/describe-error.ts'
import type { Settings } from '../settings/settings.ts'
import { exitWithError } from './lifecycle.ts'

type DatabaseSettings = Pick<Settings, 'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'>

const unknown =
  'could not find out whether the pooler at DATABASE_URL supports prepared statements: set DATABASE_PREPARE=off, or'

/** Prepared statements are on, and the pooler of the database does not support them, or may not. */
export class PoolerFault extends Error {
  override name = 'PoolerFault'
  /** False if it could not be found out. */
  readonly isCertain: boolean

  constructor(message: string, isCertain: boolean) {
    super(message)
    this.isCertain = isCertain
  }
}

/**
 * What prevents statements from being prepared, which would fail at random later. Null if nothing does, or if the database
 * cannot be reached.
 */
export const findPoolerFault = async (settings: DatabaseSettings): Promise<PoolerFault | null> => {
  if (!settings.DATABASE_PREPARE) return null
  try {
    const isSupported = await supportsPreparedStatements(settings.DATABASE_URL, settings.DATABASE_CA)
    if (isSupported) return null
    if (isSupported === null)
      return new PoolerFault(
        `${unknown} raise its default_pool_size: it had no connection for the check within 5 s`,
        false,
      )
    return new PoolerFault(
      'the pooler at DATABASE_URL does not support prepared statements: set DATABASE_PREPARE=off, or use PgBouncer 1.21 or later with max_prepared_statements',
      true,
    )
  } catch (error) {
    return isDatabaseUnavailable(error)
      ? null
      : new PoolerFault(`${unknown} correct ${JSON.stringify(describeError(error))}`, false)
  }
}

/** Prints what is wrong with the pooler of the database and exits. */
export const requirePreparedStatements = async (settings: DatabaseSettings): Promise<void> => {
  const fault = await findPoolerFault(settings)
  if (fault) exitWithError(fault.message)
}
