import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { estimateAccounts } from './account-sample.ts'
import { type Check, met, notMet, waitingFor } from './check.ts'
import { formatCount, formatCountOf } from './format-quantity.ts'
import type { ComparisonEvidence, GateLimits, StatusCoverage } from './gate-input.ts'

// The others are never compared: native need not reproduce a rate limit or a failure of the core.
const isComparable = ({ status }: StatusCoverage) => status !== 429 && status < 500

/** Every status that the core returns was compared several times. */
export const requireStatuses = (evidence: ComparisonEvidence, required: number): Check => {
  const statuses = evidence.statuses.filter((status) => isComparable(status) && status.responses > 0)
  if (statuses.length === 0)
    return notMet('statuses', 'The core has returned no response that can be compared in 7 days.')
  const incomplete = statuses.filter(({ comparisons }) => comparisons < required)
  if (incomplete.length === 0) {
    const list = statuses.map(({ status }) => status).join(', ')
    return met(
      'statuses',
      `Each status of the core was compared ${required === 1 ? 'once' : `${required} times`} or more: ${list}.`,
    )
  }
  // A status is compared as often as it occurs.
  const responses = statuses.reduce((sum, status) => sum + status.responses, 0)
  const missing = incomplete.map((status) => ((required - status.comparisons) * responses) / status.responses)
  const counts = incomplete.map(
    ({ status, comparisons }) => `${comparisons} of ${required} comparisons of status ${status}`,
  )
  return waitingFor('statuses', counts.join(', '), Math.max(...missing), evidence.comparisonsPerMinute)
}

/** The comparisons are those of several accounts, or of all if there are fewer. Routes of share links count the links. */
export const requireAccounts = (
  label: Label,
  { accounts, activeAccounts, test: { comparisons }, comparisonsPerMinute }: ComparisonEvidence,
  { minAccounts }: GateLimits,
): Check => {
  const noun = rowOf(label).scope?.startsWith('link:') ? 'share link' : 'account'
  const [compared, active] = [estimateAccounts(accounts), estimateAccounts(activeAccounts)]
  if (compared === 0) return notMet('accounts', `No ${noun} was compared yet.`)
  // While no active account is known, the compared ones cannot be all of them.
  const required = active === 0 ? minAccounts : Math.min(minAccounts, active)
  const active7Days = `${active === 0 ? 'an unknown number' : formatCount(active)} used the route in 7 days`
  if (compared >= required)
    return met('accounts', `${formatCountOf(compared, noun)} compared; ${active7Days}.`)
  const perMinute = comparisons === 0 ? 0 : (compared / comparisons) * comparisonsPerMinute
  const subject = `${formatCount(compared)} of ${formatCountOf(required, noun)} compared (${active7Days})`
  return waitingFor('accounts', subject, required - compared, perMinute)
}
