import { formatQuery } from '../api/format-query.ts'
import { parsePercentage } from '../model/format-state.ts'
import { maxDrillMinutes, minDrillMinutes, retirementDays } from '../model/retirement.ts'
import { promotionModes } from '../model/route-state.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { formatChange, formatOverrides, formatPreview } from './format.ts'
import { ChangeResponse, OverridesResponse, PreviewResponse } from './responses.ts'
import { defineVerb, isWholeNumber, reasonFlag, requireReason, type Send, showResponse } from './verb.ts'

interface ChangeVerb {
  readonly takes: string
  readonly means: string
  readonly required: number
  readonly toChange: (operand: string) => object | null
  readonly expects?: string
}

const flags = {
  reason: reasonFlag,
  version: {
    type: 'string',
    takes: 'NUMBER',
    means: 'rejects the change unless the route still has this version (list shows it)',
  },
  'dry-run': { type: 'boolean', means: 'prints what the change would do, without making it' },
} as const

const preview = async (send: Send, path: string, body: object) => {
  const json = await send(PreviewResponse, 'POST', `${path}/preview`, body)
  if (!json.isLegal)
    throw new CommandError(exitCodes.rejected, json.reason ?? 'the change would be rejected', { body: json })
  return { json, text: formatPreview(json) }
}

const createChangeVerb = ({ toChange, expects, ...texts }: ChangeVerb) =>
  defineVerb({
    ...texts,
    flags,
    run({ values, operandAt, fail }, send) {
      const { version, 'dry-run': isDryRun } = values
      if (version !== undefined && !isWholeNumber(version))
        fail('--version must be a whole number up to 2147483647')
      const change = toChange(operandAt(1)) ?? fail(`${JSON.stringify(operandAt(1))} is invalid: ${expects}`)
      const path = `/api/routes/${encodeURIComponent(operandAt(0))}/changes`
      const proposed = { change, ...(version === undefined ? {} : { version: Number(version) }) }
      if (isDryRun) return preview(send, path, proposed)
      const reason = requireReason(values.reason, fail)
      return showResponse(send(ChangeResponse, 'POST', path, { ...proposed, reason }), formatChange)
    },
  })

const createSwitch = (kind: string, operand: 'LABEL' | 'SCOPE', means: string) =>
  createChangeVerb({ takes: `${kind} ${operand}`, means, required: 1, toChange: () => ({ kind }) })

const toRamp = (text: string) => {
  const weightBp = parsePercentage(text)
  return weightBp === null ? null : { kind: 'ramp', weightBp }
}

const toDrill = (text: string) =>
  isWholeNumber(text, 1, maxDrillMinutes) ? { kind: 'retire', drillMinutes: Number(text) } : null

const toMode = (text: string) => {
  const mode = promotionModes.find((known) => known === text)
  return mode === undefined ? null : { kind: 'mode', mode }
}

export const changeVerbs = {
  shadow: createSwitch(
    'shadow',
    'LABEL',
    'the core serves the route; native gets copies of its reads, for comparison',
  ),
  ramp: createChangeVerb({
    takes: 'ramp LABEL PERCENT',
    means: 'native serves this percentage of accounts, from 0 (none) to 100 (all) in steps of 0.01',
    required: 2,
    toChange: toRamp,
    expects: 'the percentage must be between 0 and 100, with at most two decimals',
  }),
  hold: createSwitch('hold', 'SCOPE', 'keeps automation from promoting or rolling back'),
  release: createSwitch('release', 'SCOPE', 'undoes hold'),
  kill: createSwitch('kill', 'SCOPE', 'the core serves all of SCOPE from now on, whatever the state'),
  resume: createSwitch('resume', 'SCOPE', 'undoes kill; restores the percentage if the code is unchanged'),
  mode: createChangeVerb({
    takes: 'mode LABEL MODE',
    means: `how the route is promoted: ${promotionModes.join(', ')}`,
    required: 2,
    toChange: toMode,
    expects: `the mode must be one of ${promotionModes.join(', ')}`,
  }),
  drill: createChangeVerb({
    takes: 'drill LABEL MINUTES',
    means: `native serves the route without the core for a while; ${minDrillMinutes} minutes or more count towards retire; ramp LABEL 100 ends it`,
    required: 2,
    toChange: toDrill,
    expects: `a drill must last 1 to ${maxDrillMinutes} minutes`,
  }),
  retire: createSwitch(
    'retire',
    'LABEL',
    `takes the core out of the route, after a drill and ${retirementDays} days without the core; ramp LABEL 100 undoes this`,
  ),
}

export const acceptRestore = defineVerb({
  takes: 'accept-restore',
  means: 'lets automation continue after the database was restored from a backup; kills and stops remain',
  flags: { reason: reasonFlag },
  run({ values, fail }, send) {
    const reason = requireReason(values.reason, fail)
    return showResponse(send(ChangeResponse, 'POST', '/api/accept-restore', { reason }), formatChange)
  },
})

export const override = defineVerb({
  takes: 'override ACCOUNT SCOPE SIDE',
  means: 'pins an account to core or native; none removes the override; without SCOPE, lists all overrides',
  flags: {
    reason: reasonFlag,
    until: { type: 'string', takes: 'TIME', means: 'when the override ends, such as 2026-01-31T18:00:00Z' },
  },
  run({ values, operands, operandAt, fail }, send) {
    const [accountId, scope, side] = [operandAt(0), operandAt(1), operandAt(2)]
    if (operands.length < 2) {
      if (values.reason !== undefined || values.until !== undefined)
        fail(
          '--reason and --until require SCOPE and SIDE; without SCOPE, override only lists existing overrides',
        )
      const path = `/api/overrides${formatQuery({ account: accountId })}`
      return showResponse(send(OverridesResponse, 'GET', path), formatOverrides)
    }
    if (!['core', 'native', 'none'].includes(side)) fail('SIDE must be core, native or none')
    if (side === 'none' && values.until !== undefined) fail('--until cannot be combined with none')
    const reason = requireReason(values.reason, fail)
    const key = { accountId, scope, reason }
    const response =
      side === 'none'
        ? send(ChangeResponse, 'DELETE', '/api/overrides', key)
        : send(ChangeResponse, 'PUT', '/api/overrides', { ...key, side, until: values.until ?? null })
    return showResponse(response, formatChange)
  },
})
