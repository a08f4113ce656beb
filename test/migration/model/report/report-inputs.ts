import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { buildReport } from '#migration/model/report/build-report.ts'
import { parseMonth } from '#migration/model/report/report-month.ts'
import type { RouteScope } from '#migration/model/route-scope.ts'
import {
  initialStateOf,
  type RouteStage,
  type RouteState,
  weightOfStage,
} from '#migration/model/route-state.ts'
import { defaultStateOf } from '#migration/model/stored-state.ts'

export const proxied = labels.filter((label) => initialStateOf(label).stage === 'proxy')
export const nativeByCode = labels.filter(
  (label) => isTwoSided(label) && initialStateOf(label).stage === 'native',
)
export const nativeOnly = labels.filter((label) => !isTwoSided(label))

const now = Date.parse('2026-11-25T12:00:00Z')

type Step = readonly [at: string, scope: RouteScope, changes: Partial<RouteState>, more?: Partial<Entry>]

interface Entry {
  readonly who: string
  readonly action: string
  readonly reason: string
}

export const to = (stage: RouteStage, weightBp = weightOfStage(stage) ?? 500): Partial<RouteState> => ({
  stage,
  weightBp,
})

/** Returns the audit entries of the steps, and the states after them. */
const record = (steps: readonly Step[]) => {
  const states = new Map<RouteScope, RouteState>()
  const audit = steps.map(([at, scope, changes, more]) => {
    const before = states.get(scope) ?? defaultStateOf(scope)
    const after = { ...before, ...changes, version: before.version + 1 }
    states.set(scope, after)
    const entry = { who: 'alice', action: 'ramp', reason: 'a test', ...more }
    return { at: new Date(at).toISOString(), scope, before, after, ...entry }
  })
  return { states, audit }
}

type ReportInput = Parameters<typeof buildReport>[0]

/** Builds a report on these steps as of noon on 25 November 2026, by default for that month. */
export const reportOf = (
  steps: readonly Step[],
  { month = '2026-11', ...input }: Partial<Omit<ReportInput, 'month'>> & { readonly month?: string } = {},
) => {
  const parsed = parseMonth(month)
  if (parsed === null) throw new Error(`${month} is no month`)
  return buildReport({
    month: parsed,
    now,
    unreadable: [],
    usage: [],
    instance: { hasHandler: () => true, findMissingSettings: () => undefined },
    ...record(steps),
    ...input,
  })
}

export const countsOf = ({ states }: ReturnType<typeof reportOf>['summary']) =>
  Object.fromEntries(states.flatMap(({ state, rows }) => (rows > 0 ? [[state, rows]] : [])))
