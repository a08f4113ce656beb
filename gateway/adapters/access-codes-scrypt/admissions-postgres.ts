import type { Database } from '#db/client/connection.ts'
import { withDatabaseTimeout } from '#db/client/unreachable.ts'
import { findPackLinkAdmission, insertPackLinkAdmission } from '#db/queries/packs/pack-link-admissions.ts'
import { describeError } from '#shared/describe-error.ts'
import type { Log } from '../../observability/log.ts'
import { acceptedCodeTtlMs } from './access-code-state.ts'

const databaseTimeoutMs = 1000
// While a code is remembered in memory, visits do not extend the admission, so the TTL includes that time.
const admissionTtlS = 24 * 3600 + acceptedCodeTtlMs / 1000

/**
 * Remembers, for all instances, who entered a link's access code correctly in the last 24 hours. Best effort: while the
 * database is down, nobody is remembered.
 */
export const createPostgresAdmissions = ({ db, reader }: Pick<Database, 'db' | 'reader'>, log: Log) => ({
  async has(key: string) {
    try {
      return (await withDatabaseTimeout(databaseTimeoutMs, findPackLinkAdmission(reader, key))) !== null
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'failed to look up client admission')
      return false
    }
  },

  async add(key: string) {
    try {
      await withDatabaseTimeout(databaseTimeoutMs, insertPackLinkAdmission(db, key, admissionTtlS))
    } catch (error) {
      log.warn({ failure: describeError(error) }, 'failed to store client admission')
    }
  },
})

export type Admissions = ReturnType<typeof createPostgresAdmissions>
