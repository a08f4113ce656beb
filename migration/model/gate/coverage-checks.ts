import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { formatCount, formatCountOf } from '#shared/format-quantity.ts'
import { estimateAccounts } from './account-sample.ts'
import { type Check, met, notMet, waitingFor } from './check.ts'
import type { ComparisonEvidence, GateLimits, StatusCoverage } from './gate-input.ts'
import { listUnseenShapes } from './response-shapes.ts'

// Responses with 429 or 5xx are never compared, because native does not need to reproduce them.
const isComparable = ({ status }: StatusCoverage) => status !== 429 && status < 500

const formatTimes = (count: number) => (count === 1 ? 'once' : `${count} times`)

export const requireStatuses = (evidence: ComparisonEvidence, required: number): Check => {
  const statuses = evidence.statuses.filter((status) => isComparable(status) && status.responses > 0)
  if (statuses.length === 0)
    return notMet('statuses', 'In the last 7 days, the core returned no response that can be compared.')
  const incomplete = statuses.filter(({ comparisons }) => comparisons < required)
  if (incomplete.length === 0) {
    const list = statuses.map(({ status }) => status).join(', ')
    return met(
      'statuses',
      `Every status the core returned was compared at least ${formatTimes(required)}: ${list}.`,
    )
  }
  // Each status is compared in proportion to its frequency.
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

type Shapes = ComparisonEvidence['shapes']

const selectRare = (shapes: Shapes, required: number) =>
  shapes.filter(({ responses, comparisons }) => responses > 0 && comparisons < required)

const listUnseen = (label: Label, shapes: Shapes) => {
  const seen = shapes.map(({ shape }) => shape)
  return listUnseenShapes(label, seen)
}

/** The check also names shapes that the contract allows but that have not occurred. */
export const requireShapes = (
  label: Label,
  { shapes, comparisonsPerMinute }: ComparisonEvidence,
  required: number,
): Check => {
  const incomplete = selectRare(shapes, required)
  if (incomplete.length === 0) {
    const unseen = listUnseen(label, shapes)
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

/** Lists the shapes that are too many for the check itself to name. */
export const explainShapes = (
  label: Label,
  { shapes }: ComparisonEvidence,
  { minComparisonsPerShape: required }: GateLimits,
): readonly string[] => {
  const rare = selectRare(shapes, required)
  const unseen = listUnseen(label, shapes)
  const counts = rare.map(({ shape, comparisons }) => `${shape} (${comparisons})`)
  return [
    ...(rare.length > maxListed ? [`Compared fewer than ${required} times: ${counts.join(', ')}.`] : []),
    ...(unseen.length > maxListed ? [`Not seen in 7 days: ${unseen.join(', ')}.`] : []),
  ]
}

export const requireAccounts = (
  label: Label,
  { accounts, activeAccounts, test: { comparisons }, comparisonsPerMinute }: ComparisonEvidence,
  { minAccounts }: GateLimits,
): Check => {
  const noun = rowOf(label).scope?.startsWith('link:') ? 'share link' : 'account'
  const [compared, active] = [estimateAccounts(accounts), estimateAccounts(activeAccounts)]
  if (compared === 0) return notMet('accounts', `No ${noun} has been compared yet.`)
  // If no active account is known, nothing shows that all accounts were compared.
  const required = active === 0 ? minAccounts : Math.min(minAccounts, active)
  const active7Days = `${active === 0 ? 'an unknown number' : formatCount(active)} used the route in 7 days`
  if (compared >= required)
    return met('accounts', `${formatCountOf(compared, noun)} compared; ${active7Days}.`)
  const perMinute = comparisons === 0 ? 0 : (compared / comparisons) * comparisonsPerMinute
  const subject = `${formatCount(compared)} of ${formatCountOf(required, noun)} compared (${active7Days})`
  return waitingFor('accounts', subject, required - compared, perMinute)
}
