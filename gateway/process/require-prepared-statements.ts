import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { supportsPreparedStatements } from '#db/client/prepared-statement-check.ts'
import { describeError } from '../observability/log.ts'
import type { Settings } from '../settings/settings.ts'
import { exitWithError } from './lifecycle.ts'

type DatabaseSettings = Pick<Settings, 'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE'>

const unknown =
  'could not find out whether the pooler at DATABASE_URL supports prepared statements: set DATABASE_PREPARE=off, or'

/**
 * Exits if the pooler of the database does not support prepared statements and they are on: later, statements would fail
 * at random. An unreachable database is not asked.
 */
export const requirePreparedStatements = async (settings: DatabaseSettings): Promise<void> => {
  if (!settings.DATABASE_PREPARE) return
  const isSupported = await supportsPreparedStatements(settings.DATABASE_URL, settings.DATABASE_CA).catch(
    (error) =>
      isDatabaseUnavailable(error) ||
      exitWithError(`${unknown} correct ${JSON.stringify(describeError(error))}`),
  )
  if (isSupported === null)
    exitWithError(`${unknown} raise its default_pool_size: it had no connection for the check within 5 s`)
  if (!isSupported)
    exitWithError(
      'the pooler at DATABASE_URL does not support prepared statements: set DATABASE_PREPARE=off, or use PgBouncer 1.21 or later with max_prepared_statements',
    )
}
