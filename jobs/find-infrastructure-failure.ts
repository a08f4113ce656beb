import { isDatabaseUnavailable } from '#db/client/connection.ts'
import { type InfrastructureCode, isInfrastructureCode } from '#db/queries/jobs/failure.ts'
import { isDiskFullError, isSystemError } from './analysis/system-error.ts'

// Serialization failures and deadlocks. The transaction can run again.
const conflictStates: ReadonlySet<unknown> = new Set(['40001', '40P01'])

// `fetch` rejects with one of these messages, no matter what went wrong.
const isFetchFailure = ({ name, message }: Error) =>
  name === 'TimeoutError' || (name === 'TypeError' && /^(fetch failed|terminated)$/.test(message))

/**
 * Names the unavailable infrastructure that made a job fail. Returns null for any other error: a bug, or a file that
 * the job cannot process.
 */
export const findInfrastructureFailure = (error: unknown): InfrastructureCode | null => {
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? error.code : undefined
  if (isInfrastructureCode(code)) return code
  if (isDatabaseUnavailable(error) || conflictStates.has(code)) return 'database_unavailable'
  if (isDiskFullError(error)) return 'disk_full'
  if (isSystemError(error)) return 'disk_unavailable'
  return findInfrastructureFailure(error.cause) ?? (isFetchFailure(error) ? 'network_unavailable' : null)
}
