import { formatChange } from './format.ts'
import { ChangeResponse } from './responses.ts'
import { jsonFlag, readVerb, reasonFlag, requireReason, type Verb } from './verb.ts'

/** Forgets an instance that has ended without removing itself. */
export const forget: Verb = {
  takes: 'forget INSTANCE',
  means: 'an instance that does not report has ended: nothing waits for it',
  async run(args, send) {
    const { takes, means } = forget
    const flags = { reason: reasonFlag, json: jsonFlag }
    const { values, operandAt, fail } = readVerb({ takes, means, flags, required: 1 }, args)
    const reason = requireReason(values.reason, fail)
    const path = `/api/instances/${encodeURIComponent(operandAt(0))}`
    const json = await send(ChangeResponse, 'DELETE', path, { reason })
    return { json, text: formatChange(json) }
  },
}
