import { readErrorCode } from '../../parity/diff/error-code.ts'
import { isResponse, type Observation } from '../../parity/diff/recorded-response.ts'

const limits: Readonly<Record<string, string>> = {
  entitlement_required: 'lacks the entitlement or has reached the limit of its plan',
  quota_exceeded: 'has reached a quota',
  library_name_conflict: 'already has a library with this name',
}

const findLimit = (observation: Observation, expected: number | undefined) => {
  if (!isResponse(observation) || observation.status === expected) return null
  const code = readErrorCode(observation.body)
  return code === null ? null : (limits[code] ?? null)
}

/**
 * Why accounts that existed before the run do not allow comparing a pair: one side refused the request because of what
 * the account already has there. `null` if they allow it. `expected` is the status that the scenario expects.
 */
export const findAccountLimit = (
  native: Observation,
  core: Observation,
  expected: number | undefined,
): string | null => {
  const [onNative, onCore] = [findLimit(native, expected), findLimit(core, expected)]
  if ((onNative === null) === (onCore === null)) return null
  return onNative === null
    ? `the account ${onCore} on the core side only`
    : `the account ${onNative} on the native side only`
}
