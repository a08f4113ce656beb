import { formatWeight } from '../format-state.ts'
import { isShadowable } from '../route-scope.ts'
import type { RouteState } from '../route-state.ts'
import { type Check, found, met, notMet, type Urgency, waitingFor } from './check.ts'
import { formatCount, formatCountOf, formatDuration } from './format-quantity.ts'
import type { GateInput, GateLimits, StepEvidence } from './gate-input.ts'
import { isQuietStep } from './quiet-route.ts'

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
