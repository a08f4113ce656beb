import * as z from 'zod'
import { parse } from '#contracts/shared/parse.ts'
import { AccountId, TimestampInput } from '#contracts/shared/primitives.ts'
import { isLabel, isTwoSided, labels } from '#contracts/shared/row.ts'
import { isRouteScope, labelsIn, routeScopes } from '../model/route-scope.ts'
import { promotionModes, routeStages, weightOfStage } from '../model/route-state.ts'
import type { RoutingFile } from '../model/routing-file.ts'
import { listNearest } from './list-nearest.ts'
import { maxInt32 } from './requests.ts'

const Whole = z.int().min(0).max(maxInt32)

const Route = z
  .strictObject({
    stage: z.enum(routeStages).optional(),
    /** In percent. */
    weight: z
      .number()
      .min(0.01)
      .max(99.99)
      .refine((weight) => Math.round(weight * 100) / 100 === weight, { error: 'must be a multiple of 0.01' })
      .optional(),
    mode: z.enum(promotionModes).optional(),
    version: Whole,
  })
  .refine(({ stage, weight }) => (stage === 'canary') === (weight !== undefined), {
    error: 'is required for stage canary and not allowed for any other',
    path: ['weight'],
  })

// `native` is short for `{ side: native }`.
const Override = z.preprocess(
  (value) => (typeof value === 'string' ? { side: value } : value),
  z.strictObject({ side: z.enum(['core', 'native']), until: TimestampInput.nullable().default(null) }),
)

const createKeyError = (key: string, expected: string, known: readonly string[]) =>
  `is not ${expected}; the nearest are: ${listNearest(key, known).join(', ')}`

const nativeOnly = 'is native-only: the core cannot serve it'

const findLabelError = (key: string) => {
  if (!isLabel(key)) return createKeyError(key, 'a route label', labels)
  return isTwoSided(key) ? null : nativeOnly
}

const findScopeError = (key: string) => {
  if (!isRouteScope(key)) return createKeyError(key, 'a route label, area.* or *', routeScopes)
  return labelsIn(key).some(isTwoSided) ? null : nativeOnly
}

const byName = <V extends z.ZodType>(findError: (name: string) => string | null, Value: V) => {
  const Name = z.string().superRefine((name, context) => {
    const message = findError(name)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
  return z.record(Name, Value, {
    error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined),
  })
}

const findAccountError = (name: string) =>
  AccountId.safeParse(name).data === name ? null : 'is not the id of an account'

const File = z.strictObject({
  epoch: Whole,
  routes: byName(findLabelError, Route).default({}),
  overrides: byName(findScopeError, byName(findAccountError, Override)).default({}),
})

export const parseRoutingFile = (value: unknown): RoutingFile => {
  const { epoch, routes, overrides } = parse(File, value)
  return {
    epoch,
    routes: Object.entries(routes).flatMap(([label, { stage, weight = 0, mode = null, version }]) => {
      if (!isLabel(label)) return []
      const weightBp = stage === undefined ? null : (weightOfStage(stage) ?? Math.round(weight * 100))
      const target = stage === undefined || weightBp === null ? null : { stage, weightBp }
      return [{ label, target, mode, version }]
    }),
    overrides: Object.entries(overrides).flatMap(([scope, byAccount]) =>
      isRouteScope(scope) ? [{ scope, byAccount: new Map(Object.entries(byAccount)) }] : [],
    ),
  }
}
