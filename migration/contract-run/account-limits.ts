import { isObject } from '../diff/json.ts'
import { isResponse, type Observation } from '../diff/recorded-response.ts'
import type { Pair } from './pairs.ts'

const limits: Readonly<Record<string, string>> = {
  entitlement_required: 'lacks the entitlement or has reached the limit of its plan',
  quota_exceeded: 'has reached a quota',
  library_name_conflict: 'already has a library with this name',
}

const findLimit = (observation: Observation, expected: number | undefined) => {
  if (!isResponse(observation) || observation.status === expected || observation.body.kind !== 'json')
    return null
  const { value } = observation.body
  return (isObject(value) && typeof value.error === 'string' && limits[value.error]) || null
}

/**
 * Why the given accounts do not allow comparing a pair: one side refused the request because of what the account
 * already has there. `null` if they allow it, and always for new accounts, which have nothing.
 */
export const findAccountLimit = ({ usesGivenAccounts, native, core, expected }: Pair) => {
  if (!usesGivenAccounts) return null
  const [onNative, onCore] = [findLimit(native, expected), findLimit(core, expected)]
  if ((onNative === null) === (onCore === null)) return null
  return onNative === null
    ? `the account ${onCore} on the core side only`
    : `the account ${onNative} on the native side only`
}
