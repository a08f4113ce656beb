import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import type { RouteChange } from '../apply-change.ts'
import { formatWeight } from '../format-state.ts'
import { isShadowable } from '../route-scope.ts'
import type { RouteState } from '../route-state.ts'
import type { Check, CheckId } from './check.ts'
import { formatCountOf, formatDuration } from './format-quantity.ts'

export type StepChange = Extract<RouteChange, { readonly kind: 'shadow' | 'ramp' }>

export interface NextStep {
  /** Null if there is no next step, because native already serves everything or there is only one side. */
  readonly change: StepChange | null
  /**
   * `blocked`: a check is not met. `observe`: all checks are met, but the route's mode is `observe`. `recommend`: a
   * person may take the step. `promote`: automation takes it. `complete`: there is no next step.
   */
  readonly action: 'blocked' | 'observe' | 'recommend' | 'promote' | 'complete'
  readonly blockedBy: CheckId | null
  /**
   * Milliseconds until all checks are met: 0 if they already are; null if unknown, or if they will never be met at the
   * current rates.
   */
  readonly expectedMs: number | null
  readonly sentence: string
}

/** A person must take every step of a route that cannot be compared in shadow, such as a write. */
const requiresPerson = (label: Label) => !isShadowable(label)

/** Returns a route's next step, to shadow or to the next weight; null if there is none. */
export const findNextChange = (
  label: Label,
  { stage, weightBp }: RouteState,
  weightsBp: readonly number[],
): StepChange | null => {
  if (!isTwoSided(label) || stage === 'native' || stage === 'retired') return null
  if (stage === 'proxy' && isShadowable(label)) return { kind: 'shadow' }
  const next = weightsBp.find((weight) => weight > weightBp)
  return next === undefined ? null : { kind: 'ramp', weightBp: next }
}

/** Formats a step: `shadow` or `5 %`. */
export const formatStep = (change: StepChange) =>
  change.kind === 'shadow' ? 'shadow' : formatWeight(change.weightBp)

const choosePermitted = (label: Label, change: StepChange, { mode }: RouteState): NextStep => {
  const permitted = { change, blockedBy: null, expectedMs: 0 }
  const step = `Next step: ${formatStep(change)}. No check blocks it`
  if (mode === 'observe') return { ...permitted, action: 'observe', sentence: `${step}. Mode: observe.` }
  return mode === 'auto' && !requiresPerson(label)
    ? { ...permitted, action: 'promote', sentence: `${step}.` }
    : { ...permitted, action: 'recommend', sentence: `${step}. A person has to take it.` }
}

// The check that takes longest determines the estimate.
const findExpectedMs = (blocking: readonly Check[]) =>
  blocking.reduce<number | null>(
    (latest, { expectedMs }) =>
      latest === null || expectedMs === null ? null : Math.max(latest, expectedMs),
    0,
  )

const describeBlocked = (change: StepChange, first: Check, others: number, expectedMs: number | null) => {
  const rest = others === 0 ? '' : ` (and ${formatCountOf(others, 'other check')})`
  return [
    `Next step: ${formatStep(change)}, blocked by ${first.id}${rest}.`,
    first.sentence,
    expectedMs === null ? 'No estimate yet.' : `Expected in ${formatDuration(expectedMs)}.`,
  ].join(' ')
}

export const chooseNextStep = (
  label: Label,
  state: RouteState,
  change: StepChange,
  checks: readonly Check[],
): NextStep => {
  const blocking = checks.filter(({ isMet, waivedBy }) => !isMet && waivedBy === null)
  const [first] = blocking
  if (first === undefined) return choosePermitted(label, change, state)
  const expectedMs = findExpectedMs(blocking)
  const sentence = describeBlocked(change, first, blocking.length - 1, expectedMs)
  return { change, action: 'blocked', blockedBy: first.id, expectedMs, sentence }
}

/** For a route that native serves to everyone, or that has only one side. */
export const noNextStep: NextStep = {
  change: null,
  action: 'complete',
  blockedBy: null,
  expectedMs: null,
  sentence: 'There is no next step.',
}
