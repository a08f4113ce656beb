import { formatChange, formatOverrides } from './format.ts'
import { ChangeResponse, OverridesResponse } from './responses.ts'
import { defineVerb, reasonFlag, requireReason, type Send } from './verb.ts'

const listOverrides = async (send: Send, account: string) => {
  const query = account === '' ? '' : `?${new URLSearchParams({ account })}`
  const json = await send(OverridesResponse, 'GET', `/api/overrides${query}`)
  return { json, text: formatOverrides(json) }
}

/** Lists overrides if no scope is given; otherwise sets or removes one. */
export const override = defineVerb({
  takes: 'override ACCOUNT SCOPE SIDE',
  means: 'pins an account to core or native; none removes the override; without SCOPE, lists all overrides',
  flags: {
    reason: reasonFlag,
    until: { type: 'string', takes: 'TIME', means: 'when the override ends, such as 2026-01-31T18:00:00Z' },
  },
  async run({ values, operands, operandAt, fail }, send) {
    const [accountId, scope, side] = [operandAt(0), operandAt(1), operandAt(2)]
    if (operands.length < 2) {
      if (values.reason !== undefined || values.until !== undefined)
        fail(
          '--reason and --until require SCOPE and SIDE; without SCOPE, override only lists existing overrides',
        )
      return listOverrides(send, accountId)
    }
    if (!['core', 'native', 'none'].includes(side)) fail('SIDE must be core, native or none')
    if (side === 'none' && values.until !== undefined) fail('--until cannot be combined with none')
    const reason = requireReason(values.reason, fail)
    const key = { accountId, scope, reason }
    const json =
      side === 'none'
        ? await send(ChangeResponse, 'DELETE', '/api/overrides', key)
        : await send(ChangeResponse, 'PUT', '/api/overrides', { ...key, side, until: values.until ?? null })
    return { json, text: formatChange(json) }
  },
})
