import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import type { GatewayResponse } from '#gateway/request/response.ts'
import { listReadsAfter } from './comparison/paired-reads.ts'

/** A GET that shows what a write has stored. */
interface ReadAfterWrite {
  readonly label: Label
  readonly path: string
}

const fillPath = (label: Label, params: Readonly<Record<string, string>>) =>
  rowOf(label).path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

const parseBody = ({ body }: GatewayResponse): unknown => {
  if (typeof body !== 'string') return null
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** The reads that show what a write has stored, by its request and its response; none for a write that failed. */
export const listReadBacks = (
  { params, outcome }: Pick<RequestContext, 'params' | 'outcome'>,
  response: GatewayResponse,
): readonly ReadAfterWrite[] => {
  if (outcome.label === 'unmatched' || response.status >= 300) return []
  return listReadsAfter(outcome.label, params, parseBody(response))
    .filter(({ fromCore }) => !fromCore)
    .map((read) => ({ label: read.label, path: fillPath(read.label, read.params) }))
}
