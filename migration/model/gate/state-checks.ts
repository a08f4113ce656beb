import { formatDay } from '#shared/iso-clock.ts'
import { findHolder, findKiller, type RouteState } from '../route-state.ts'
import { type Check, found, met, notMet } from './check.ts'
import type { ContractResult, GateInput } from './gate-input.ts'

const requireNoKill = ({ label, states }: GateInput): Check => {
  const killer = findKiller(label, states)
  return killer === null
    ? met('not-killed', 'The route is not killed.')
    : found(
        'in-force',
        'not-killed',
        `${killer} is killed, so the core serves the route until ${killer} is resumed.`,
      )
}

const requireNoHold = ({ label, states }: GateInput): Check => {
  const holder = findHolder(label, states)
  return holder === null
    ? met('not-held', 'The route is not held.')
    : found(
        'in-force',
        'not-held',
        `${holder} is held, so only a person can move the route until ${holder} is released.`,
      )
}

const requireCodeOnAllInstances = ({ evidenceKey, instances: { live, onKey } }: GateInput): Check => {
  if (evidenceKey === null) return notMet('instances', 'This build has no handler for the route.')
  if (live === 0) return notMet('instances', 'No running instance is known.')
  return onKey === live
    ? met('instances', `All running instances (${live}) run the same code.`)
    : notMet('instances', `${onKey} of ${live} running instances ${onKey === 1 ? 'runs' : 'run'} this code.`)
}

/** Returns the checks that no evidence can replace: operators' decisions, and the same code on every instance. */
export const requireState = (input: GateInput): readonly Check[] => [
  requireNoKill(input),
  requireNoHold(input),
  requireCodeOnAllInstances(input),
]

export const requireCodeNotFailed = ({ evidenceKey }: GateInput, state: RouteState): Check =>
  evidenceKey !== null && state.failedEvidenceKey === evidenceKey
    ? found(
        'in-force',
        'code-not-failed',
        'This code was stopped automatically. Deploy a fix, or take the step yourself.',
      )
    : met('code-not-failed', 'This code has not been stopped.')

/** Lists what keeps native from serving the route, and what keeps automation from moving it. */
export const listInForce = (input: GateInput, state: RouteState): readonly Check[] =>
  [requireNoKill(input), requireNoHold(input), requireCodeNotFailed(input, state)].filter(
    ({ isMet }) => !isMet,
  )

const describeProblems = (problems: number, forbidding: number) => {
  const found = problems === 1 ? '1 problem' : `${problems} problems`
  const accepted =
    forbidding === 1
      ? '1 accepted difference that forbids promotion'
      : `${forbidding} accepted differences that forbid promotion`
  if (problems === 0) return accepted
  return forbidding === 0 ? found : `${found} and ${accepted}`
}

export const hasExpired = ({ validUntil }: Pick<ContractResult, 'validUntil'>, now: number) =>
  validUntil !== null && validUntil <= now

export const describeExpiry = ({ validUntil }: Pick<ContractResult, 'validUntil'>) =>
  `relied on an accepted difference that expired on ${formatDay(validUntil ?? 0)}, so it no longer counts as clean`

export const requireContract = ({ evidenceKey, contract, now }: GateInput): Check => {
  if (contract === null || contract.evidenceKey !== evidenceKey)
    return notMet('contract', 'No contract run for this code yet (npm run contract -- --post).')
  if (hasExpired(contract, now))
    return notMet('contract', `The contract run for this code ${describeExpiry(contract)}.`)
  const { problems, forbiddingDifferences } = contract
  return problems + forbiddingDifferences === 0
    ? met('contract', 'The contract run for this code found no problems.')
    : found(
        'failure',
        'contract',
        `The contract run for this code found ${describeProblems(problems, forbiddingDifferences)}.`,
      )
}
