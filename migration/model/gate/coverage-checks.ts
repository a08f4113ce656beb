import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { estimateAccounts } from './account-sample.ts'
import { type Check, met, notMet, waitingFor } from './check.ts'
import { formatCount, formatCountOf } from './format-quantity.ts'
import type { ComparisonEvidence, GateLimits, StatusCoverage } from './gate-input.ts'
import { listUnseenShapes } from './response-shapes.ts'

// The others are never compared: native need not reproduce a rate limit or a failure of the core.
const isComparable = ({ status }: StatusCoverage) => status !== 429 && status < 500

const formatTimes = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** Every status that the core returns was compared several times. */
export const requireStatuses = (evidence: ComparisonEvidence, required: number): Check => {
  const statuses = evidence.statuses.filter((status) => isComparable(status) && status.responses > 0)
  if (statuses.length === 0)
    return notMet('statuses', 'In 7 days, the core has returned no response that can be compared.')
  const incomplete = statuses.filter(({ comparisons }) => comparisons < required)
  if (incomplete.length === 0) {
    const list = statuses.map(({ status }) => status).join(', ')
    return met(
      'statuses',
      `Every status the core returned was compared at least ${formatTimes(required)}: ${list}.`,
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

const maxListed = 5

const listSome = (items: readonly string[]) => {
  const more = items.length - maxListed
  return [...items.slice(0, maxListed), ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ')
}

/**
 * What requests and responses of the core have had in 7 days (query parameters; lists with no, one or many elements; nulls;
 * listed values; error codes) was compared several times. What they could have and never had is named.
 */
export const requireShapes = (
  label: Label,
  { shapes, comparisonsPerMinute }: ComparisonEvidence,
  required: number,
): Check => {
  const incomplete = shapes.filter(({ responses, comparisons }) => responses > 0 && comparisons < required)
  if (incomplete.length === 0) {
    const unseen = listUnseenShapes(
      label,
      shapes.map(({ shape }) => shape),
    )
    const rest = unseen.length === 0 ? '' : ` Not seen in 7 days, so not compared: ${listSome(unseen)}.`
    return met(
      'shapes',
      `All ${formatCount(shapes.length)} shapes the core served were compared at least ${formatTimes(required)}.${rest}`,
    )
  }
  const responses = Math.max(...shapes.map((shape) => shape.responses))
  const missing = incomplete.map((shape) => ((required - shape.comparisons) * responses) / shape.responses)
  const counts = incomplete.map(({ shape, comparisons }) => `${shape} (${comparisons} of ${required})`)
  return waitingFor(
    'shapes',
    `Compared too rarely: ${listSome(counts)}`,
    Math.max(...missing),
    comparisonsPerMinute,
  )
}

/** All that was compared too rarely, and all that the contract allows and nobody has used: the check names a few of each. */
export const explainShapes = (
  label: Label,
  { shapes }: ComparisonEvidence,
  { minComparisonsPerShape: required }: GateLimits,
): readonly string[] => {
  const rare = shapes.filter(({ responses, comparisons }) => responses > 0 && comparisons < required)
  const unseen = listUnseenShapes(
    label,
    shapes.map(({ shape }) => shape),
  )
  const counts = rare.map(({ shape, comparisons }) => `${shape} (${comparisons})`)
  return [
    ...(rare.length > maxListed ? [`Compared fewer than ${required} times: ${counts.join(', ')}.`] : []),
    ...(unseen.length > maxListed ? [`Not seen in 7 days: ${unseen.join(', ')}.`] : []),
  ]
}

/** The comparisons are those of several accounts, or of all if there are fewer. Routes of share links count the links. */
export const requireAccounts = (
  label: Label,
  { accounts, activeAccounts, test: { comparisons }, comparisonsPerMinute }: ComparisonEvidence,
  { minAccounts }: GateLimits,
): Check => {
  const noun = rowOf(label).scope?.startsWith('link:') ? 'share link' : 'account'
  const [compared, active] = [estimateAccounts(accounts), estimateAccounts(activeAccounts)]
  if (compared === 0) return notMet('accounts', `No ${noun} has been compared yet.`)
  // While no active account is known, the compared ones cannot be all of them.
  const required = active === 0 ? minAccounts : Math.min(minAccounts, active)
  const active7Days = `${active === 0 ? 'an unknown number' : formatCount(active)} used the route in 7 days`
  if (compared >= required)
    return met('accounts', `${formatCountOf(compared, noun)} compared; ${active7Days}.`)
  const perMinute = comparisons === 0 ? 0 : (compared / comparisons) * comparisonsPerMinute
  const subject = `${formatCount(compared)} of ${formatCountOf(required, noun)} compared (${active7Days})`
  return waitingFor('accounts', subject, required - compared, perMinute)
}
