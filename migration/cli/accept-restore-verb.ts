import { formatChange } from './format.ts'
import { ChangeResponse } from './responses.ts'
import { jsonFlag, readVerb, reasonFlag, requireReason, type Verb } from './verb.ts'

const flags = { reason: reasonFlag, json: jsonFlag } as const

export const acceptRestore: Verb = {
  takes: 'accept-restore',
  means: 'lets automation continue after the database was restored from a backup; kills and stops remain',
  async run(args, send) {
    const { takes, means } = acceptRestore
    const { values, fail } = readVerb({ takes, means, flags, required: 0 }, args)
    const reason = requireReason(values.reason, fail)
    const json = await send(ChangeResponse, 'POST', '/api/accept-restore', { reason })
    return { json, text: formatChange(json) }
  },
}
