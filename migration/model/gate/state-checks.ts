import { formatCount, formatCountOf, formatDuration } from '#shared/format-quantity.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { formatWeight } from '../format-state.ts'
import { isShadowable } from '../route-scope.ts'
import { findHolder, findKiller, type RouteState } from '../route-state.ts'
import { type Check, found, met, notMet, type Urgency, waitingFor } from './check.ts'
import type { ContractResult, GateInput, GateLimits, StepEvidence } from './gate-input.ts'
import { isQuietStep } from './quiet-route.ts'

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

const causes = {
  errors: ['failure', 'Native has failed too often'],
  timeouts: ['failure', 'Native requests have timed out'],
  slowness: ['failure', 'Native has been too slow'],
  rejections: ['failure', 'Native has rejected more clients than the core'],
  mismatches: ['mismatch', 'Native has differed from the core too often'],
  critical: ['mismatch', 'Native returned data that must never leave the service'],
} as const satisfies Record<string, readonly [Urgency, string]>

const requireNoAlarm = ({ alarm }: StepEvidence): Check => {
  if (alarm === null) return met('alarms', 'No alarm since the step began.')
  const [urgency, sentence] = causes[alarm]
  return found(urgency, 'alarms', `${sentence} since the step began.`)
}

const requireTime = ({ startedAt }: StepEvidence, now: number, weight: string, minStepMs: number): Check => {
  const remainingMs = Math.min(minStepMs, minStepMs - (now - startedAt))
  return remainingMs <= 0
    ? met('step-time', `At ${weight} for at least ${formatDuration(minStepMs)}.`)
    : notMet(
        'step-time',
        `${formatDuration(remainingMs)} of the ${formatDuration(minStepMs)} at ${weight} remain.`,
        remainingMs,
      )
}

// On a quiet route, a step also ends after its maximum time, however few requests there were.
const requireQuietRequests = (
  { nativeRequests, nativeRequestsPerMinute, startedAt }: StepEvidence,
  weight: string,
  { minNativeRequests, quiet: { maxStepMs } }: GateLimits,
  now: number,
): Check => {
  const served = `native has served ${formatCountOf(nativeRequests, 'request')} at ${weight}`
  const few = `The route is too quiet for ${formatCount(minNativeRequests)} requests in ${formatDuration(maxStepMs)}`
  const remainingMs = Math.min(maxStepMs, maxStepMs - (now - startedAt))
  if (remainingMs <= 0) return met('native-requests', `${few}. The time is up: ${served}.`)
  const missingMs =
    nativeRequestsPerMinute > 0
      ? ((minNativeRequests - nativeRequests) / nativeRequestsPerMinute) * 60_000
      : remainingMs
  return notMet(
    'native-requests',
    `${few}. With ${formatDuration(remainingMs)} left, ${served}.`,
    Math.min(remainingMs, missingMs),
  )
}

const requireRequests = (step: StepEvidence, weight: string, minNativeRequests: number): Check => {
  const { nativeRequests, nativeRequestsPerMinute } = step
  if (nativeRequests >= minNativeRequests)
    return met('native-requests', `Native served ${formatCount(nativeRequests)} requests at ${weight}.`)
  const subject = `${formatCount(nativeRequests)} of ${formatCount(minNativeRequests)} requests served natively at ${weight}`
  return waitingFor('native-requests', subject, minNativeRequests - nativeRequests, nativeRequestsPerMinute)
}

export const requireStep = (
  input: GateInput,
  { weightBp }: RouteState,
  limits: GateLimits,
): readonly Check[] => {
  const { label, step, evidenceKey, now } = input
  const { minStepMs, minNativeRequests } = limits
  const weight = formatWeight(weightBp)
  if (step === null || step.evidenceKey !== evidenceKey)
    return [notMet('alarms', `This code has not been observed at ${weight} yet.`)]
  const isQuiet =
    step.nativeRequests < minNativeRequests && isShadowable(label) && isQuietStep(input, weightBp, limits)
  return [
    requireNoAlarm(step),
    requireTime(step, now, weight, minStepMs),
    isQuiet
      ? requireQuietRequests(step, weight, limits, now)
      : requireRequests(step, weight, minNativeRequests),
  ]
}
