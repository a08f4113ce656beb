import { formatWeight } from '../format-state.ts'
import type { RouteState } from '../route-state.ts'
import { type Check, type Finding, found, met, notMet, waitingFor } from './check.ts'
import { formatCount, formatDuration } from './format-quantity.ts'
import type { GateInput, GateLimits, StepEvidence } from './gate-input.ts'

const causes = {
  errors: ['failure', 'Native has failed too often'],
  slowness: ['failure', 'Native has been too slow'],
  mismatches: ['mismatch', 'Native responses have differed from those of the core too often'],
  critical: ['mismatch', 'Native returned data that must never leave the service'],
} as const satisfies Record<string, readonly [Finding, string]>

const requireNoAlarm = ({ alarm }: StepEvidence): Check => {
  if (alarm === null) return met('alarms', 'No alarm since the step began.')
  const [finding, sentence] = causes[alarm]
  return found(finding, 'alarms', `${sentence} since the step began.`)
}

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
