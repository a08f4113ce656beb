import { formatWeight } from '../format-state.ts'
import type { RouteState } from '../route-state.ts'
import { type Check, met, notMet, waitingFor } from './check.ts'
import { formatCount, formatDuration } from './format-quantity.ts'
import type { GateInput, GateLimits, StepEvidence } from './gate-input.ts'

const causes = {
  errors: 'Native has failed too often',
  slowness: 'Native has been too slow',
  mismatches: 'Native responses have differed from those of the core too often',
  critical: 'Native returned data that must never leave the service',
} as const

const requireNoAlarm = ({ alarm }: StepEvidence): Check =>
  alarm === null
    ? met('alarms', 'No alarm since the step began.')
    : notMet('alarms', `${causes[alarm]} since the step began.`)

const requireTime = ({ startedAt }: StepEvidence, now: number, weight: string, minStepMs: number): Check => {
  const remainingMs = Math.min(minStepMs, minStepMs - (now - startedAt))
  return remainingMs <= 0
    ? met('step-time', `${formatDuration(minStepMs)} at ${weight} are over.`)
    : notMet(
        'step-time',
        `${formatDuration(remainingMs)} of ${formatDuration(minStepMs)} at ${weight} remain.`,
        remainingMs,
      )
}

const requireRequests = (step: StepEvidence, weight: string, minNativeRequests: number): Check => {
  const { nativeRequests, nativeRequestsPerMinute } = step
  if (nativeRequests >= minNativeRequests)
    return met(
      'native-requests',
      `${formatCount(nativeRequests)} requests were served natively at ${weight}.`,
    )
  const subject = `${formatCount(nativeRequests)} of ${formatCount(minNativeRequests)} requests served natively at ${weight}`
  return waitingFor('native-requests', subject, minNativeRequests - nativeRequests, nativeRequestsPerMinute)
}

/** Native has served its present percentage with this code for a while, and no alarm was raised. */
export const requireStep = (
  { step, evidenceKey, now }: GateInput,
  { weightBp }: RouteState,
  { minStepMs, minNativeRequests }: GateLimits,
): readonly Check[] => {
  const weight = formatWeight(weightBp)
  if (step === null || step.evidenceKey !== evidenceKey)
    return [notMet('alarms', `Nothing has been observed of this code at ${weight} yet.`)]
  return [
    requireNoAlarm(step),
    requireTime(step, now, weight, minStepMs),
    requireRequests(step, weight, minNativeRequests),
  ]
}
